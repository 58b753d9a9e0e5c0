#include "kernels/reference/reference_ops.h"

#include <cmath>
#include <numbers>

namespace reelbrush::kernels {

namespace {

double sigmoid(double x) {
    return 1.0 / (1.0 + std::exp(-x));
}

double gelu(double x) {
    return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2));
}

/// Hendrycks and Gimpel 2016, the tanh form.
double geluTanh(double x) {
    return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

}  // namespace

double activateReference(Activation kind, double x) {
    switch (kind) {
        case Activation::None:
            return x;
        case Activation::Relu:
            return x > 0.0 ? x : 0.0;
        case Activation::Silu:
            return x * sigmoid(x);
        case Activation::Gelu:
            return gelu(x);
        case Activation::GeluTanh:
            return geluTanh(x);
        case Activation::QuickGelu:
            return x * sigmoid(1.702 * x);
    }
    return x;
}

void computeReference(const ActivationOp& op, const ReferenceCall& call) {
    const std::int64_t count = call.outputShape.elements();
    for (std::int64_t i = 0; i < count; ++i)
        call.output[i] = static_cast<float>(activateReference(op.kind, call.inputs[0][i]));
}

void computeReference(const Geglu&, const ReferenceCall& call) {
    const std::int64_t rows = call.outputShape.rows(), channels = call.outputShape.channels();
    for (std::int64_t row = 0; row < rows; ++row) {
        const float* value = call.inputs[0] + row * 2 * channels;
        const float* gate = value + channels;
        for (std::int64_t c = 0; c < channels; ++c)
            call.output[row * channels + c] = static_cast<float>(value[c] * gelu(gate[c]));
    }
}

}  // namespace reelbrush::kernels
