#pragma once

#include "engine/core/status.h"

#include <filesystem>
#include <opencv2/core.hpp>
#include <vector>

namespace reelbrush::session {

/// A style picture as it is in its file, [H,W,3] CV_32FC3 RGB, transparent parts on white.
/// Errors: as media::openFrameSource, after "the style picture".
Result<cv::Mat> loadStylePicture(const std::filesystem::path& file);

/// The picture as a model takes it: [height,width,3] RGB in [0,1], covered and centre-cropped.
Result<std::vector<float>> fitStylePicture(const cv::Mat& picture, cv::Size size);

}  // namespace reelbrush::session
