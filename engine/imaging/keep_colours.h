#pragma once

#include "engine/core/status.h"

#include <opencv2/core.hpp>

namespace reelbrush::imaging {

/// Gives a painting the colours of the frame that it was painted from: the painting's lightness and its fine play of
/// colour stay, the broad colour areas (Gaussian of `sigma` pixels) become the frame's.
/// painting, frame: [H,W,3] CV_32FC3 RGB in [0,1], of one size. Result likewise, clamped. Thread: any.
/// Errors: BadInput for other pictures or a sigma that is not above 0; OutOfMemory.
Result<cv::Mat> keepColours(const cv::Mat& painting, const cv::Mat& frame, double sigma);

}  // namespace reelbrush::imaging
