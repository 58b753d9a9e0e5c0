#include "kernels/ops/resample.h"

#include "kernels/ops/input_check.h"

#include <fmt/format.h>

namespace reelbrush::kernels {

Result<Shape> outputShape(const UpsampleNearest& op, std::span<const Shape> inputs) {
    RB_TRY(expectInputs("upsample", inputs, 1));
    RB_TRY(expectRank("upsample", inputs[0], 4));
    if (op.height <= 0 || op.width <= 0) return fail(shapeError("upsample", "a positive target size", inputs));
    return Shape{inputs[0][0], op.height, op.width, inputs[0][3]};
}

Result<Shape> outputShape(const PixelUnshuffle& op, std::span<const Shape> inputs) {
    RB_TRY(expectInputs("pixel unshuffle", inputs, 1));
    RB_TRY(expectRank("pixel unshuffle", inputs[0], 4));
    const Shape& x = inputs[0];
    if (op.factor <= 0 || x[1] % op.factor != 0 || x[2] % op.factor != 0)
        return fail(shapeError("pixel unshuffle", fmt::format("height and width divisible by {}", op.factor), inputs));
    return Shape{x[0], x[1] / op.factor, x[2] / op.factor, x[3] * op.factor * op.factor};
}

Result<Shape> outputShape(const PixelShuffle& op, std::span<const Shape> inputs) {
    RB_TRY(expectInputs("pixel shuffle", inputs, 1));
    RB_TRY(expectRank("pixel shuffle", inputs[0], 4));
    const Shape& x = inputs[0];
    const int area = op.factor * op.factor;
    if (op.factor <= 0 || x[3] % area != 0)
        return fail(shapeError("pixel shuffle", fmt::format("channels divisible by {}", area), inputs));
    return Shape{x[0], x[1] * op.factor, x[2] * op.factor, x[3] / area};
}

}  // namespace reelbrush::kernels
