#include "kernels/ops/geglu.h"

#include "kernels/ops/input_check.h"

namespace reelbrush::kernels {

Result<Shape> outputShape(const Geglu&, std::span<const Shape> inputs) {
    RB_TRY(expectInputs("GEGLU", inputs, 1));
    if (inputs[0].rank() < 1 || inputs[0].channels() % 2 != 0)
        return fail(shapeError("GEGLU", "an even number of channels", inputs));
    Shape result = inputs[0];
    result[result.rank() - 1] /= 2;
    return result;
}

}  // namespace reelbrush::kernels
