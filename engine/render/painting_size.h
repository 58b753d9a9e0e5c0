#pragma once

#include "engine/core/status.h"

#include <opencv2/core/types.hpp>

namespace reelbrush::render {

constexpr int kMaxSide = 16384;

/// The size that a picture of `size` is painted at: both sides padded to multiples of 16, at least 32.
/// size: both sides 1 to kMaxSide.
cv::Size paintingSize(cv::Size size);

/// The multiple that imaging::padToMultiple has to be asked for to get there.
int paddingMultiple(cv::Size size);

/// Errors: BadInput unless both sides are 1 to kMaxSide.
Status checkSize(cv::Size size);

}  // namespace reelbrush::render
