#include "kernels/ops/layer_norm.h"

#include "kernels/ops/input_check.h"

namespace reelbrush::kernels {

Result<Shape> outputShape(const LayerNorm&, std::span<const Shape> inputs) {
    RB_TRY(expectInputs("layer norm", inputs, 1));
    if (inputs[0].rank() < 1) return fail(shapeError("layer norm", "rank 1 or more", inputs));
    return inputs[0];
}

}  // namespace reelbrush::kernels
