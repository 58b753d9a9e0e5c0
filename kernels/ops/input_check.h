#pragma once

#include "kernels/tensor/shape.h"
#include "kernels/tensor/status.h"

#include <span>

namespace reelbrush::kernels {

/// Success when there are exactly `count` inputs, else BadInput naming the op.
Status expectInputs(const char* op, std::span<const Shape> inputs, std::size_t count);
/// Success when a shape has the rank, else BadInput naming the op and the shape.
Status expectRank(const char* op, const Shape& shape, std::size_t rank);
/// BadInput with the op and a sentence that lists what was expected and the shapes that came.
Error shapeError(const char* op, const std::string& expected, std::span<const Shape> inputs);

}  // namespace reelbrush::kernels
