#pragma once

#include "engine/core/rational.h"

#include <cstdint>
#include <opencv2/core/mat.hpp>

namespace reelbrush::media {

/// One decoded picture, upright (rotation applied), and when it is shown.
struct VideoFrame {
    /// [H,W,3] CV_32FC3, RGB (not BGR), nominally in [0,1]; values outside come from over- and undershoot and are kept.
    /// Non-linear: R'G'B' in the clip's own transfer and primaries (pictures: sRGB; OpenEXR and other float pictures
    /// hold linear light and arrive with the sRGB curve on, continued above 1). Owned (cv::Mat counts references).
    cv::Mat rgb;
    /// Alpha [H,W] CV_32FC1 in [0,1], as stored (neither multiplied into rgb nor divided out of it); empty where the
    /// source has none.
    cv::Mat alpha;
    /// Presentation time in seconds from the container's zero, exact.
    Rational time;
    /// How long it is shown, in seconds; unknown where the container does not say (the last frame of some VFR clips).
    Rational duration = Rational::unknown();
    /// Position in the clip, from 0.
    std::int64_t index = 0;
};

}  // namespace reelbrush::media
