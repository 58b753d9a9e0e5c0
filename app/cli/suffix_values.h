#pragma once

#include <optional>
#include <string>
#include <vector>

namespace reelbrush::cli {

/// "HEAD:1:2" in parts. HEAD may hold colons itself: only numbers at the end are taken, and none where a file has the
/// whole name.
struct SuffixValues {
    std::string head;
    std::vector<double> values;
};
SuffixValues splitSuffixValues(const std::string& text, std::size_t most);

/// "HEAD:0-0.6".
struct SuffixRange {
    std::string head;
    double from = 0, to = 1;
};
/// Nothing where the text does not end so.
std::optional<SuffixRange> splitSuffixRange(const std::string& text);

}  // namespace reelbrush::cli
