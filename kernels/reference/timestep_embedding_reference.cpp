#include "kernels/reference/reference_ops.h"

#include <cmath>

namespace reelbrush::kernels {

void computeReference(const TimestepEmbedding& op, const ReferenceCall& call) {
    const int half = op.channels / 2;
    for (std::int64_t n = 0; n < call.outputShape[0]; ++n)
        for (int i = 0; i < half; ++i) {
            const double frequency = std::exp(-std::log(static_cast<double>(op.maxPeriod)) * i /
                                              (static_cast<double>(half) - op.frequencyShift));
            const double angle = call.inputs[0][n] * frequency;
            float* row = call.output + n * op.channels;
            row[op.cosineFirst ? i : half + i] = static_cast<float>(std::cos(angle));
            row[op.cosineFirst ? half + i : i] = static_cast<float>(std::sin(angle));
        }
}

}  // namespace reelbrush::kernels
