#include "kernels/ops/elementwise.h"

#include "kernels/ops/input_check.h"

namespace reelbrush::kernels {

Result<Shape> outputShape(const Add&, std::span<const Shape> inputs) {
    RB_TRY(expectInputs("add", inputs, 2));
    Shape repeated = inputs[1];
    if (repeated.rank() > 0 && repeated[0] == 1) repeated[0] = inputs[0].batch();
    if (!(repeated == inputs[0])) return fail(shapeError("add", "two tensors of one shape", inputs));
    return inputs[0];
}

Result<Shape> outputShape(const AddChannels&, std::span<const Shape> inputs) {
    RB_TRY(expectInputs("channel add", inputs, 2));
    const Shape& x = inputs[0];
    const Shape& add = inputs[1];
    if (x.rank() < 2 || add.rank() != 2 || add.channels() != x.channels() || (add[0] != x[0] && add[0] != 1))
        return fail(shapeError("channel add", "a tensor and a vector [N,C] or [1,C]", inputs));
    return x;
}

Result<Shape> outputShape(const Affine&, std::span<const Shape> inputs) {
    RB_TRY(expectInputs("affine", inputs, 1));
    return inputs[0];
}

Result<Shape> outputShape(const ScaleBy& op, std::span<const Shape> inputs) {
    RB_TRY(expectInputs("scale", inputs, 2));
    if (inputs[1].rank() != 1 || op.index < 0 || op.index >= inputs[1][0])
        return fail(shapeError("scale", "a tensor and a list with its factor", inputs));
    return inputs[0];
}

Result<Shape> outputShape(const SoftClamp& op, std::span<const Shape> inputs) {
    RB_TRY(expectInputs("soft clamp", inputs, 1));
    if (!(op.limit > 0)) return fail(shapeError("soft clamp", "a positive limit", inputs));
    return inputs[0];
}

}  // namespace reelbrush::kernels
