#pragma once

#include "kernels/tensor/shape.h"
#include "kernels/tensor/status.h"

#include <span>

namespace reelbrush::kernels {

/// Layer normalisation over the last dimension (Ba et al. 2016). Inputs: x [...,C]. Weights: gamma [C], beta [C].
struct LayerNorm {
    float epsilon = 1e-5f;
};

Result<Shape> outputShape(const LayerNorm& op, std::span<const Shape> inputs);

}  // namespace reelbrush::kernels
