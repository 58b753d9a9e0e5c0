#pragma once

#include "engine/core/status.h"
#include "engine/session/stylize_request.h"

#include <filesystem>
#include <opencv2/core.hpp>

namespace reelbrush::session {

/// Writes [H,W,3] CV_32FC3 sRGB in [0,1] as one picture, whole or not at all. Errors: as media::openFrameSink.
Status writePicture(const cv::Mat& picture, const std::filesystem::path& file);

/// Reads a picture (of a film its first frame), scales it until `size` is covered, cuts the middle out and writes that.
/// Errors: as media::openFrameSource and openFrameSink.
Status writeThumbnail(const std::filesystem::path& picture, const std::filesystem::path& thumbnail, PictureSize size);

}  // namespace reelbrush::session
