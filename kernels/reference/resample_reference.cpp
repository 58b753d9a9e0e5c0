#include "kernels/reference/reference_ops.h"

namespace reelbrush::kernels {

void computeReference(const UpsampleNearest&, const ReferenceCall& call) {
    const Shape &in = call.inputShapes[0], &out = call.outputShape;
    std::int64_t index = 0;
    for (std::int64_t n = 0; n < out[0]; ++n)
        for (std::int64_t y = 0; y < out[1]; ++y)
            for (std::int64_t x = 0; x < out[2]; ++x)
                for (std::int64_t c = 0; c < out[3]; ++c, ++index)
                    call.output[index] =
                        call.inputs[0][((n * in[1] + y * in[1] / out[1]) * in[2] + x * in[2] / out[2]) * in[3] + c];
}

void computeReference(const PixelUnshuffle& op, const ReferenceCall& call) {
    const Shape &in = call.inputShapes[0], &out = call.outputShape;
    std::int64_t index = 0;
    for (std::int64_t n = 0; n < out[0]; ++n)
        for (std::int64_t y = 0; y < out[1]; ++y)
            for (std::int64_t x = 0; x < out[2]; ++x)
                for (std::int64_t c = 0; c < in[3]; ++c)
                    for (int dy = 0; dy < op.factor; ++dy)
                        for (int dx = 0; dx < op.factor; ++dx, ++index)
                            call.output[index] =
                                call.inputs[0][((n * in[1] + y * op.factor + dy) * in[2] + x * op.factor + dx) * in[3] +
                                               c];
}

void computeReference(const PixelShuffle& op, const ReferenceCall& call) {
    const Shape &in = call.inputShapes[0], &out = call.outputShape;
    std::int64_t index = 0;
    for (std::int64_t n = 0; n < in[0]; ++n)
        for (std::int64_t y = 0; y < in[1]; ++y)
            for (std::int64_t x = 0; x < in[2]; ++x)
                for (std::int64_t c = 0; c < out[3]; ++c)
                    for (int dy = 0; dy < op.factor; ++dy)
                        for (int dx = 0; dx < op.factor; ++dx, ++index)
                            call.output[((n * out[1] + y * op.factor + dy) * out[2] + x * op.factor + dx) * out[3] +
                                        c] = call.inputs[0][index];
}

}  // namespace reelbrush::kernels
