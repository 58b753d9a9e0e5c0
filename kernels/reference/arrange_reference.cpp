#include "kernels/reference/reference_ops.h"

#include <algorithm>

namespace reelbrush::kernels {

namespace {

/// Values of one sample.
std::int64_t sampleSize(const Shape& shape) {
    return shape.batch() == 0 ? 0 : shape.elements() / shape.batch();
}

}  // namespace

void computeReference(const ConcatChannels&, const ReferenceCall& call) {
    const std::int64_t batch = call.outputShape.batch(), outChannels = call.outputShape.channels();
    const std::int64_t pixels = sampleSize(call.outputShape) / outChannels;
    std::int64_t firstChannel = 0;
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
        const std::int64_t channels = call.inputShapes[i].channels();
        for (std::int64_t n = 0; n < batch; ++n) {
            const std::int64_t from = call.inputShapes[i].batch() == 1 ? 0 : n;
            for (std::int64_t p = 0; p < pixels; ++p)
                for (std::int64_t c = 0; c < channels; ++c)
                    call.output[(n * pixels + p) * outChannels + firstChannel + c] =
                        call.inputs[i][(from * pixels + p) * channels + c];
        }
        firstChannel += channels;
    }
}

void computeReference(const ConcatTokens&, const ReferenceCall& call) {
    const std::int64_t batch = call.outputShape.batch(), tokens = call.outputShape[1];
    const std::int64_t channels = call.outputShape.channels();
    std::int64_t firstToken = 0;
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
        const std::int64_t size = sampleSize(call.inputShapes[i]);
        for (std::int64_t n = 0; n < batch; ++n) {
            const std::int64_t from = call.inputShapes[i].batch() == 1 ? 0 : n;
            for (std::int64_t k = 0; k < size; ++k)
                call.output[(n * tokens + firstToken) * channels + k] = call.inputs[i][from * size + k];
        }
        firstToken += call.inputShapes[i][1];
    }
}

void computeReference(const RepeatBatch& op, const ReferenceCall& call) {
    const std::int64_t size = call.inputShapes[0].elements();
    for (int n = 0; n < op.times; ++n) std::copy_n(call.inputs[0], size, call.output + n * size);
}

void computeReference(const SliceBatch& op, const ReferenceCall& call) {
    const std::int64_t size = sampleSize(call.inputShapes[0]);
    for (int n = 0; n < op.count; ++n)
        for (std::int64_t k = 0; k < size; ++k) call.output[n * size + k] = call.inputs[0][(op.first + n) * size + k];
}

void computeReference(const ConcatBatch&, const ReferenceCall& call) {
    float* to = call.output;
    for (std::size_t i = 0; i < call.inputs.size(); ++i)
        to = std::copy_n(call.inputs[i], call.inputShapes[i].elements(), to);
}

void computeReference(const SwapAxes&, const ReferenceCall& call) {
    const Shape& in = call.inputShapes[0];
    for (std::int64_t a = 0; a < in[0]; ++a)
        for (std::int64_t b = 0; b < in[1]; ++b)
            for (std::int64_t c = 0; c < in[2]; ++c)
                for (std::int64_t d = 0; d < in[3]; ++d)
                    call.output[((a * in[2] + c) * in[1] + b) * in[3] + d] =
                        call.inputs[0][((a * in[1] + b) * in[2] + c) * in[3] + d];
}

void computeReference(const Reshape&, const ReferenceCall& call) {
    std::copy_n(call.inputs[0], call.outputShape.elements(), call.output);
}

void computeReference(const Constant&, const ReferenceCall& call) {
    std::copy(call.weights[0].begin(), call.weights[0].end(), call.output);
}

}  // namespace reelbrush::kernels
