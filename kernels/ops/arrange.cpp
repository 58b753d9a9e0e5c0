#include "kernels/ops/arrange.h"

#include "kernels/ops/input_check.h"

#include <algorithm>

namespace reelbrush::kernels {

namespace {

/// The common shape of tensors joined along `axis`: sizes there add up, batch 1 fits any batch, all else is equal.
Result<Shape> joined(const char* op, std::span<const Shape> inputs, std::size_t axis) {
    if (inputs.empty()) return fail(shapeError(op, "at least one input", inputs));
    Shape result = inputs[0];
    result[axis] = 0;
    for (const Shape& shape : inputs) {
        bool fits = shape.rank() == result.rank();
        for (std::size_t i = 1; fits && i < shape.rank(); ++i) fits = i == axis || shape[i] == result[i];
        if (fits && shape[0] != result[0]) fits = shape[0] == 1 || result[0] == 1;
        if (!fits) return fail(shapeError(op, "shapes that agree but for the joined dimension", inputs));
        result[0] = std::max(result[0], shape[0]);
        result[axis] += shape[axis];
    }
    return result;
}

}  // namespace

Result<Shape> outputShape(const ConcatChannels&, std::span<const Shape> inputs) {
    if (inputs.empty() || inputs[0].rank() < 2) return fail(shapeError("channel concat", "rank 2 or more", inputs));
    return joined("channel concat", inputs, inputs[0].rank() - 1);
}

Result<Shape> outputShape(const ConcatTokens&, std::span<const Shape> inputs) {
    for (const Shape& shape : inputs) RB_TRY(expectRank("token concat", shape, 3));
    return joined("token concat", inputs, 1);
}

Result<Shape> outputShape(const RepeatBatch& op, std::span<const Shape> inputs) {
    RB_TRY(expectInputs("batch repeat", inputs, 1));
    if (inputs[0].rank() == 0 || inputs[0][0] != 1) return fail(shapeError("batch repeat", "batch 1", inputs));
    Shape result = inputs[0];
    result[0] = op.times;
    return result;
}

Result<Shape> outputShape(const SliceBatch& op, std::span<const Shape> inputs) {
    RB_TRY(expectInputs("batch slice", inputs, 1));
    if (inputs[0].rank() == 0 || op.first < 0 || op.count < 1 || op.first + op.count > inputs[0][0])
        return fail(shapeError("batch slice", "a batch that holds the slice", inputs));
    Shape result = inputs[0];
    result[0] = op.count;
    return result;
}

Result<Shape> outputShape(const ConcatBatch&, std::span<const Shape> inputs) {
    if (inputs.empty() || inputs[0].rank() == 0) return fail(shapeError("batch concat", "rank 1 or more", inputs));
    std::int64_t batch = 0;
    for (const Shape& shape : inputs) {
        Shape like = shape;
        if (shape.rank() > 0) like[0] = inputs[0][0];
        if (!(like == inputs[0]))
            return fail(shapeError("batch concat", "shapes that agree but for the batch", inputs));
        batch += shape[0];
    }
    Shape result = inputs[0];
    result[0] = batch;
    return result;
}

Result<Shape> outputShape(const SwapAxes&, std::span<const Shape> inputs) {
    RB_TRY(expectInputs("axis swap", inputs, 1));
    RB_TRY(expectRank("axis swap", inputs[0], 4));
    return Shape{inputs[0][0], inputs[0][2], inputs[0][1], inputs[0][3]};
}

Result<Shape> outputShape(const Reshape& op, std::span<const Shape> inputs) {
    RB_TRY(expectInputs("reshape", inputs, 1));
    if (inputs[0].elements() != op.shape.elements())
        return fail(shapeError("reshape", "as many values as " + op.shape.toString(), inputs));
    return op.shape;
}

Result<Shape> outputShape(const Constant& op, std::span<const Shape> inputs) {
    RB_TRY(expectInputs("constant", inputs, 0));
    return op.shape;
}

}  // namespace reelbrush::kernels
