#include "kernels/ops/activation.h"

#include "kernels/ops/input_check.h"

namespace reelbrush::kernels {

Result<Shape> outputShape(const ActivationOp&, std::span<const Shape> inputs) {
    RB_TRY(expectInputs("activation", inputs, 1));
    return inputs[0];
}

}  // namespace reelbrush::kernels
