#include "kernels/reference/reference_ops.h"

namespace reelbrush::kernels {

namespace {

/// The sum of one output value, before bias, residual and activation.
double sumAt(const Conv2d& op, const ReferenceCall& call, std::int64_t n, std::int64_t firstRow,
             std::int64_t firstColumn, std::int64_t o) {
    const Shape& in = call.inputShapes[0];
    const std::int64_t height = in[1], width = in[2], channels = in[3];
    const float* weight = call.weights[0].data() + o * channels * op.kernelHeight * op.kernelWidth;
    double sum = 0.0;
    for (int ky = 0; ky < op.kernelHeight; ++ky)
        for (int kx = 0; kx < op.kernelWidth; ++kx) {
            const std::int64_t y = firstRow + ky, x = firstColumn + kx;
            if (y < 0 || y >= height || x < 0 || x >= width) continue;
            const float* pixel = call.inputs[0] + ((n * height + y) * width + x) * channels;
            for (std::int64_t c = 0; c < channels; ++c)
                sum += static_cast<double>(pixel[c]) * weight[(c * op.kernelHeight + ky) * op.kernelWidth + kx];
        }
    return sum;
}

}  // namespace

void computeReference(const Conv2d& op, const ReferenceCall& call) {
    const Shape& out = call.outputShape;
    const bool hasBias = op.hasBias && call.weights.size() > 1 && !call.weights[1].empty();
    std::int64_t index = 0;
    for (std::int64_t n = 0; n < out[0]; ++n)
        for (std::int64_t y = 0; y < out[1]; ++y)
            for (std::int64_t x = 0; x < out[2]; ++x)
                for (std::int64_t o = 0; o < out[3]; ++o, ++index) {
                    double sum = sumAt(op, call, n, y * op.stride - op.padTop, x * op.stride - op.padLeft, o);
                    if (hasBias) sum += call.weights[1][static_cast<std::size_t>(o)];
                    if (op.hasResidual) sum += call.inputs[1][index];
                    call.output[index] = static_cast<float>(activateReference(op.activation, sum));
                }
}

}  // namespace reelbrush::kernels
