#include "kernels/ops/linear.h"

#include "kernels/ops/input_check.h"

#include <numeric>

namespace reelbrush::kernels {

int Linear::totalOutFeatures() const {
    return std::accumulate(outFeatures.begin(), outFeatures.end(), 0);
}

Result<Shape> outputShape(const Linear& op, std::span<const Shape> inputs) {
    RB_TRY(expectInputs("linear", inputs, op.hasResidual ? 2 : 1));
    if (inputs[0].rank() < 2) return fail(shapeError("linear", "rank 2 or more", inputs));
    Shape result = inputs[0];
    result[result.rank() - 1] = op.totalOutFeatures();
    if (op.hasResidual && !(inputs[1] == result))
        return fail(shapeError("linear", "a residual of shape " + result.toString(), inputs));
    return result;
}

}  // namespace reelbrush::kernels
