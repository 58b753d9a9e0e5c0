#include "kernels/reference/reference_ops.h"

#include <algorithm>
#include <cmath>

namespace reelbrush::kernels {

void computeReference(const Add&, const ReferenceCall& call) {
    const std::int64_t count = call.outputShape.elements(), repeated = call.inputShapes[1].elements();
    for (std::int64_t i = 0; i < count; ++i) call.output[i] = call.inputs[0][i] + call.inputs[1][i % repeated];
}

void computeReference(const AddChannels&, const ReferenceCall& call) {
    const Shape& out = call.outputShape;
    const std::int64_t channels = out.channels(), sampleRows = out.rows() / out.batch();
    for (std::int64_t row = 0; row < out.rows(); ++row) {
        const std::int64_t sample = call.inputShapes[1].batch() == 1 ? 0 : row / sampleRows;
        for (std::int64_t c = 0; c < channels; ++c)
            call.output[row * channels + c] =
                call.inputs[0][row * channels + c] + call.inputs[1][sample * channels + c];
    }
}

void computeReference(const Affine& op, const ReferenceCall& call) {
    const std::int64_t count = call.outputShape.elements();
    for (std::int64_t i = 0; i < count; ++i) {
        const double y = static_cast<double>(call.inputs[0][i]) * op.scale + op.offset;
        call.output[i] = static_cast<float>(std::min<double>(std::max<double>(y, op.low), op.high));
    }
}

void computeReference(const ScaleBy& op, const ReferenceCall& call) {
    const float factor = call.inputs[1][op.index];
    const std::int64_t count = call.outputShape.elements();
    for (std::int64_t i = 0; i < count; ++i) call.output[i] = call.inputs[0][i] * factor;
}

void computeReference(const SoftClamp& op, const ReferenceCall& call) {
    const std::int64_t count = call.outputShape.elements();
    for (std::int64_t i = 0; i < count; ++i)
        call.output[i] = static_cast<float>(op.limit * std::tanh(static_cast<double>(call.inputs[0][i]) / op.limit));
}

}  // namespace reelbrush::kernels
