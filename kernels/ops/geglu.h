#pragma once

#include "kernels/tensor/shape.h"
#include "kernels/tensor/status.h"

#include <span>

namespace reelbrush::kernels {

/// Gated GELU (Shazeer 2020): input [...,2C] is value|gate, output [...,C] = value * gelu(gate), exact GELU.
struct Geglu {};

Result<Shape> outputShape(const Geglu& op, std::span<const Shape> inputs);

}  // namespace reelbrush::kernels
