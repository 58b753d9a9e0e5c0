#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::styles {

/// Upper case A-Z made lower; other bytes stay.
std::string lowerCase(std::string_view text);

/// Those of `names` that `text` was probably meant to be, the likeliest first, at most three: little mistyped, or
/// containing it. Case does not count.
std::vector<std::string> nearMisses(std::string_view text, const std::vector<std::string>& names);

}  // namespace reelbrush::styles
