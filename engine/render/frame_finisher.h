#pragma once

#include "engine/core/status.h"
#include "engine/media/video_frame.h"

#include <opencv2/core.hpp>

namespace reelbrush::render {

/// The stage between painting and encoding: cuts the padding off and gives the frame its alpha back, resized where the
/// painting has another size than the source.
/// painting [paintHeight, paintWidth, 3] CV_32FC3; source: as PreparedFrame::frame; size: of the picture to be written.
/// The result owns its pixels. Errors: OutOfMemory, Internal. Thread: any.
Result<media::VideoFrame> finishFrame(const cv::Mat& painting, media::VideoFrame source, cv::Size size);

}  // namespace reelbrush::render
