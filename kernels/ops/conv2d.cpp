#include "kernels/ops/conv2d.h"

#include "kernels/ops/input_check.h"

namespace reelbrush::kernels {

Result<Shape> outputShape(const Conv2d& op, std::span<const Shape> inputs) {
    RB_TRY(expectInputs("convolution", inputs, op.hasResidual ? 2 : 1));
    RB_TRY(expectRank("convolution", inputs[0], 4));
    const Shape& x = inputs[0];
    const std::int64_t roomY = x[1] + op.padTop + op.padBottom - op.kernelHeight;
    const std::int64_t roomX = x[2] + op.padLeft + op.padRight - op.kernelWidth;
    if (roomY < 0 || roomX < 0) return fail(shapeError("convolution", "an image as large as the kernel", inputs));
    const Shape result{x[0], roomY / op.stride + 1, roomX / op.stride + 1, op.outChannels};
    if (op.hasResidual && !(inputs[1] == result))
        return fail(shapeError("convolution", "a residual of shape " + result.toString(), inputs));
    return result;
}

}  // namespace reelbrush::kernels
