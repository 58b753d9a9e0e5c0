#pragma once

#include <opencv2/core.hpp>

namespace reelbrush::imaging {

/// Scales a picture to `size` and returns the part `window` of it, without computing the rest.
/// Separable Lanczos of three lobes, widened when shrinking so that nothing aliases; pixel centres at one half; at the
/// borders the weights that fall outside are left out. Clamped to [0,1].
/// picture [H,W,3] CV_32FC3 in [0,1]; window inside size, neither empty. Throws what OpenCV throws.
cv::Mat lanczosResample(const cv::Mat& picture, cv::Size size, cv::Rect window);

}  // namespace reelbrush::imaging
