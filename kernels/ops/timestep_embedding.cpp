#include "kernels/ops/timestep_embedding.h"

#include "kernels/ops/input_check.h"

namespace reelbrush::kernels {

Result<Shape> outputShape(const TimestepEmbedding& op, std::span<const Shape> inputs) {
    RB_TRY(expectInputs("timestep embedding", inputs, 1));
    RB_TRY(expectRank("timestep embedding", inputs[0], 1));
    if (op.channels <= 0 || op.channels % 2 != 0)
        return fail(shapeError("timestep embedding", "an even number of channels", inputs));
    return Shape{inputs[0][0], op.channels};
}

}  // namespace reelbrush::kernels
