#include "kernels/ops/group_norm.h"

#include "kernels/ops/input_check.h"

#include <fmt/format.h>

namespace reelbrush::kernels {

Result<Shape> outputShape(const GroupNorm& op, std::span<const Shape> inputs) {
    RB_TRY(expectInputs("group norm", inputs, op.hasChannelAdd ? 2 : 1));
    const Shape& x = inputs[0];
    if (x.rank() < 3) return fail(shapeError("group norm", "[N,H,W,C] or [N,T,C]", inputs));
    if (op.groups <= 0 || x.channels() % op.groups != 0)
        return fail(shapeError("group norm", fmt::format("channels that divide into {} groups", op.groups), inputs));
    if (op.hasChannelAdd) {
        const Shape& add = inputs[1];
        if (add.rank() != 2 || add.channels() != x.channels() || (add[0] != x[0] && add[0] != 1))
            return fail(shapeError("group norm", "a channel vector [N,C] or [1,C]", inputs));
    }
    return x;
}

}  // namespace reelbrush::kernels
