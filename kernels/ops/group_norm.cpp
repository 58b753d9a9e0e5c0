#include "kernels/ops/group_norm.h"

#include "kernels/ops/input_check.h"

#include <fmt/format.h>

namespace reelbrush::kernels {

Result<Shape> outputShape(const GroupNorm& op, std::span<const Shape> inputs) {
    RB_TRY(expectInputs("group norm", inputs, 1 + (op.hasChannelAdd ? 1 : 0) + (op.hasStatistics ? 1 : 0)));
    const Shape& x = inputs[0];
    if (x.rank() < 3) return fail(shapeError("group norm", "[N,H,W,C] or [N,T,C]", inputs));
    if (op.groups <= 0 || x.channels() % op.groups != 0)
        return fail(shapeError("group norm", fmt::format("channels that divide into {} groups", op.groups), inputs));
    if (op.hasChannelAdd) {
        const Shape& add = inputs[1];
        if (add.rank() != 2 || add.channels() != x.channels() || (add[0] != x[0] && add[0] != 1))
            return fail(shapeError("group norm", "a channel vector [N,C] or [1,C]", inputs));
    }
    if (op.hasStatistics && !(inputs.back() == Shape{x[0], 2 * op.groups}))
        return fail(shapeError("group norm", fmt::format("means and variances of {} groups", op.groups), inputs));
    return x;
}

}  // namespace reelbrush::kernels
