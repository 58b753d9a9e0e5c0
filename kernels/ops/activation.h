#pragma once

#include "kernels/tensor/shape.h"
#include "kernels/tensor/status.h"

#include <span>

namespace reelbrush::kernels {

/// Elementwise non-linearities. Gelu is the exact one (erf), GeluTanh its tanh form, QuickGelu x * sigmoid(1.702 x).
enum class Activation { None, Relu, Silu, Gelu, GeluTanh, QuickGelu };

/// y = activation(x), any shape. Inputs: x.
struct ActivationOp {
    Activation kind = Activation::None;
};

Result<Shape> outputShape(const ActivationOp& op, std::span<const Shape> inputs);

}  // namespace reelbrush::kernels
