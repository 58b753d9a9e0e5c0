#pragma once

#include <filesystem>

namespace reelbrush::testing {

/// The miniature SD 1.5 of the fixtures in one file, with what cannot be seen in its tensors beside it, in `folder`.
std::filesystem::path miniatureModel(const std::filesystem::path& folder);

}  // namespace reelbrush::testing
