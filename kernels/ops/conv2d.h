#pragma once

#include "kernels/ops/activation.h"

#include <span>

namespace reelbrush::kernels {

/// 2-D cross-correlation with zero padding: y = activation(conv(x, weight) + bias + residual).
/// Inputs: x [N,H,W,I]; then, where hasResidual, residual of the output's shape.
/// Weights: weight [O,I,kh,kw]; bias [O] ("" where absent). Output: [N,Ho,Wo,O], Ho = (H + pads - kh) / stride + 1.
struct Conv2d {
    int outChannels = 0;
    int kernelHeight = 3, kernelWidth = 3;
    int stride = 1;
    int padTop = 1, padLeft = 1, padBottom = 1, padRight = 1;
    bool hasBias = true;
    bool hasResidual = false;
    Activation activation = Activation::None;
    /// False keeps this layer in floating point even where its weights are stored as int8 (first and last layers).
    bool mayQuantise = true;
};

Result<Shape> outputShape(const Conv2d& op, std::span<const Shape> inputs);

}  // namespace reelbrush::kernels
