#pragma once

#include "engine/media/ffmpeg_handles.h"

#include <filesystem>
#include <opencv2/core/types.hpp>

namespace reelbrush::media::test {

/// A 4:2:0 frame of one colour. yuv: code values of `bits` bits (8, 10, 12 or 16).
Frame flatFrame(cv::Size size, cv::Vec3i yuv, int bits);
/// The same picture in another layout of samples.
Frame inFormat(const AVFrame& frame, AVPixelFormat format);
/// A Matroska file with this one frame in FFV1, its colour tags included; a test failure where that fails.
void encodeLossless(const std::filesystem::path& file, const AVFrame& frame);

}  // namespace reelbrush::media::test
