#pragma once

#include "kernels/ops/conv2d.h"

namespace reelbrush::kernels {

/// A convolution of odd kernel size that keeps the image's size at stride 1.
Conv2d conv(int outChannels, int kernel = 3, int stride = 1);
/// The same with what may follow it.
Conv2d with(Conv2d op, bool residual, Activation activation, bool bias = true);
/// The same with other paddings.
Conv2d padded(Conv2d op, int top, int left, int bottom, int right);

}  // namespace reelbrush::kernels
