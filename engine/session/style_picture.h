#pragma once

#include "engine/core/status.h"

#include <filesystem>
#include <vector>

namespace reelbrush::session {

constexpr int kStylePictureSide = 224;

/// A style picture as the model takes it: [224,224,3] RGB in [0,1], covered and centre-cropped, transparent parts on
/// white. Errors: as media::openFrameSource, after "the style picture".
Result<std::vector<float>> loadStylePicture(const std::filesystem::path& file);

}  // namespace reelbrush::session
