#pragma once

#include "kernels/tensor/shape.h"
#include "kernels/tensor/status.h"

#include <span>

namespace reelbrush::kernels {

/// Joins tensors along the last dimension. An input with batch 1 is repeated to the largest batch among the inputs.
struct ConcatChannels {};

/// Joins [N,T_i,C] along the tokens. An input with batch 1 is repeated.
struct ConcatTokens {};

/// [1,...] to [times,...].
struct RepeatBatch {
    int times = 2;
};

/// [N,...] to its members [first, first + count): [count,...].
struct SliceBatch {
    int first = 0, count = 1;
};

/// Joins tensors of one shape but for the batch, members of the first input first.
struct ConcatBatch {};

/// Exchanges the two middle dimensions: [A,B,C,D] → [A,C,B,D]. Frames of pixels become pixels over the frames.
struct SwapAxes {};

/// The same values under another shape; costs nothing, the output shares the input's memory.
struct Reshape {
    Shape shape;
};

/// A weight as a value (learned queries, class token, position embedding). No inputs; weights: the tensor.
struct Constant {
    Shape shape;
};

Result<Shape> outputShape(const ConcatChannels& op, std::span<const Shape> inputs);
Result<Shape> outputShape(const ConcatTokens& op, std::span<const Shape> inputs);
Result<Shape> outputShape(const RepeatBatch& op, std::span<const Shape> inputs);
Result<Shape> outputShape(const SliceBatch& op, std::span<const Shape> inputs);
Result<Shape> outputShape(const ConcatBatch& op, std::span<const Shape> inputs);
Result<Shape> outputShape(const SwapAxes& op, std::span<const Shape> inputs);
Result<Shape> outputShape(const Reshape& op, std::span<const Shape> inputs);
Result<Shape> outputShape(const Constant& op, std::span<const Shape> inputs);

}  // namespace reelbrush::kernels
