#pragma once

#include "kernels/tensor/shape.h"
#include "kernels/tensor/status.h"

#include <limits>
#include <span>

namespace reelbrush::kernels {

/// Sum of two tensors of one shape; the second may have batch 1 and is then repeated. Inputs: a [N,...], b [N or
/// 1,...].
struct Add {};

/// Adds a vector to every pixel or token. Inputs: x [N,...,C], vector [N,C] or [1,C].
struct AddChannels {};

/// y = clamp(x * scale + offset, low, high).
struct Affine {
    float scale = 1.0f, offset = 0.0f;
    float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
};

/// y = x * factors[index]: a strength that may change from run to run. Inputs: x, factors [M].
struct ScaleBy {
    int index = 0;
};

/// y = limit * tanh(x / limit): the input clamp of the tiny autoencoder's decoder.
struct SoftClamp {
    float limit = 3.0f;
};

Result<Shape> outputShape(const Add& op, std::span<const Shape> inputs);
Result<Shape> outputShape(const AddChannels& op, std::span<const Shape> inputs);
Result<Shape> outputShape(const Affine& op, std::span<const Shape> inputs);
Result<Shape> outputShape(const ScaleBy& op, std::span<const Shape> inputs);
Result<Shape> outputShape(const SoftClamp& op, std::span<const Shape> inputs);

}  // namespace reelbrush::kernels
