#pragma once

#include "engine/core/status.h"

#include <opencv2/core.hpp>

/// Bringing pictures to the sizes that models take, and back. All pictures are [H,W,3] CV_32FC3 RGB in [0,1].
/// Errors of each: BadInput for another kind of picture or an empty size; OutOfMemory. Thread: any.
namespace reelbrush::imaging {

/// Scales to exactly `size`, whatever the proportions, by Lanczos without aliasing. A picture of that size is copied.
Result<cv::Mat> resizePicture(const cv::Mat& picture, cv::Size size);

/// Scales until `size` is covered, keeping proportions, and cuts the middle out.
Result<cv::Mat> coverAndCrop(const cv::Mat& picture, cv::Size size);

/// Extends to the right and below, mirrored about the edge pixel, until both sides are multiples of `multiple`.
/// A picture that fits already is returned as it is, sharing its pixels.
Result<cv::Mat> padToMultiple(const cv::Mat& picture, int multiple = 16);

/// Cuts what padToMultiple added: the top left part of `size`, with pixels of its own.
/// BadInput also when the picture is smaller than `size`.
Result<cv::Mat> cropBack(const cv::Mat& picture, cv::Size size);

}  // namespace reelbrush::imaging
