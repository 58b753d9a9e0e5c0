#include "kernels/ops/attention.h"

#include "kernels/ops/input_check.h"

#include <cmath>

namespace reelbrush::kernels {

float Attention::effectiveScale() const {
    return scale != 0.0f ? scale : 1.0f / std::sqrt(static_cast<float>(headSize));
}

Result<Shape> outputShape(const Attention& op, std::span<const Shape> inputs) {
    if (inputs.size() < 3 || inputs.size() % 2 == 0)
        return fail(shapeError("attention", "q and one or more pairs of k and v", inputs));
    if (!op.channelOffsets.empty() && op.channelOffsets.size() != inputs.size())
        return fail(shapeError("attention", "one channel offset per input", inputs));
    if (op.causal && inputs.size() != 3) return fail(shapeError("attention", "one segment where it is causal", inputs));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        RB_TRY(expectRank("attention", inputs[i], 3));
        if (op.offsetOf(i) + op.channels() > inputs[i].channels())
            return fail(shapeError("attention", "channels for all heads after the offset", inputs));
        if (i > 0 && inputs[i][0] != inputs[0][0] && inputs[i][0] != 1)
            return fail(shapeError("attention", "keys and values with q's batch or batch 1", inputs));
        if (i > 0 && i % 2 == 0 && inputs[i][1] != inputs[i - 1][1])
            return fail(shapeError("attention", "as many values as keys in each segment", inputs));
        if (op.causal && inputs[i][1] != inputs[0][1])
            return fail(shapeError("attention", "as many keys as queries where it is causal", inputs));
    }
    return Shape{inputs[0][0], inputs[0][1], op.channels()};
}

}  // namespace reelbrush::kernels
