#pragma once

#include "kernels/ops/activation.h"

#include <span>
#include <vector>

namespace reelbrush::kernels {

/// y = activation(x * weight^T + bias + residual) over the last dimension; rows are tokens or pixels.
/// Several parts (Q, K and V of one input) are one product whose outputs lie side by side in the last dimension.
/// Inputs: x [...,I]; then, where hasResidual, residual of the output's shape.
/// Weights: a weight [O_p,I] (or [O_p,I,1,1]) per part, then a bias [O_p] per part ("" where absent).
struct Linear {
    std::vector<int> outFeatures{};  ///< O_p of each part
    bool hasResidual = false;
    Activation activation = Activation::None;
    bool mayQuantise = true;  ///< see Conv2d

    int totalOutFeatures() const;
};

Result<Shape> outputShape(const Linear& op, std::span<const Shape> inputs);

}  // namespace reelbrush::kernels
