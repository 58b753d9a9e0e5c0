#include "kernels/reference/reference_ops.h"

namespace reelbrush::kernels {

void computeReference(const Linear& op, const ReferenceCall& call) {
    const std::int64_t rows = call.outputShape.rows(), total = call.outputShape.channels();
    const std::int64_t features = call.inputShapes[0].channels();
    const std::size_t parts = op.outFeatures.size();
    std::int64_t first = 0;
    for (std::size_t part = 0; part < parts; ++part) {
        const bool hasBias = call.weights.size() > parts + part && !call.weights[parts + part].empty();
        for (std::int64_t row = 0; row < rows; ++row)
            for (int o = 0; o < op.outFeatures[part]; ++o) {
                const float* x = call.inputs[0] + row * features;
                const float* weight = call.weights[part].data() + o * features;
                double sum = hasBias ? call.weights[parts + part][static_cast<std::size_t>(o)] : 0.0;
                for (std::int64_t i = 0; i < features; ++i) sum += static_cast<double>(x[i]) * weight[i];
                const std::int64_t index = row * total + first + o;
                if (op.hasResidual) sum += call.inputs[1][index];
                call.output[index] = static_cast<float>(activateReference(op.activation, sum));
            }
        first += op.outFeatures[part];
    }
}

}  // namespace reelbrush::kernels
