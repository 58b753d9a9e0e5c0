#pragma once

#include "engine/media/ffmpeg_handles.h"

#include <opencv2/core/mat.hpp>

namespace reelbrush::media {

/// How a stored picture must be turned to stand upright: first flipped left to right, then turned clockwise.
struct Orientation {
    int clockwiseDegrees = 0;  ///< 0, 90, 180, 270
    bool mirrored = false;

    bool swapsSides() const { return clockwiseDegrees == 90 || clockwiseDegrees == 270; }
};

/// From the display matrix of a frame or else of its stream; JPEG and WebP: from EXIF. Turns that are no quarter turns
/// are rounded to the next one.
Orientation orientationOf(const AVFrame& frame, const AVStream& stream);

/// picture: any type; a turned copy, or the same data where nothing is to be done.
cv::Mat upright(const cv::Mat& picture, const Orientation& orientation);

}  // namespace reelbrush::media
