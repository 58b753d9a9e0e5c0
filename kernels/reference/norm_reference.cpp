#include "kernels/reference/reference_ops.h"

#include <cmath>

namespace reelbrush::kernels {

namespace {

/// Mean and biased variance of what `at(i)` gives for i in [0, count), in two passes.
struct Moments {
    double mean = 0.0, variance = 0.0;
};

template <typename At>
Moments momentsOf(std::int64_t count, At at) {
    Moments moments;
    for (std::int64_t i = 0; i < count; ++i) moments.mean += at(i);
    moments.mean /= static_cast<double>(count);
    for (std::int64_t i = 0; i < count; ++i) {
        const double distance = at(i) - moments.mean;
        moments.variance += distance * distance;
    }
    moments.variance /= static_cast<double>(count);
    return moments;
}

}  // namespace

void computeReference(const GroupNorm& op, const ReferenceCall& call) {
    const Shape& shape = call.outputShape;
    const std::int64_t batch = shape.batch(), channels = shape.channels(), pixels = shape.rows() / batch;
    const std::int64_t width = channels / op.groups;
    for (std::int64_t n = 0; n < batch; ++n)
        for (int group = 0; group < op.groups; ++group) {
            const std::int64_t first = group * width;
            const auto value = [&](std::int64_t pixel, std::int64_t c) {
                double x = call.inputs[0][(n * pixels + pixel) * channels + c];
                if (op.hasChannelAdd) x += call.inputs[1][(call.inputShapes[1].batch() == 1 ? 0 : n) * channels + c];
                return x;
            };
            Moments moments;
            if (op.hasStatistics) {
                const float* statistics = call.inputs[op.hasChannelAdd ? 2 : 1] + n * 2 * op.groups;
                moments = {statistics[group], statistics[op.groups + group]};
            } else {
                moments =
                    momentsOf(pixels * width, [&](std::int64_t i) { return value(i / width, first + i % width); });
            }
            const double inverse = 1.0 / std::sqrt(moments.variance + op.epsilon);
            for (std::int64_t p = 0; p < pixels; ++p)
                for (std::int64_t c = first; c < first + width; ++c) {
                    const auto channel = static_cast<std::size_t>(c);
                    const double y =
                        (value(p, c) - moments.mean) * inverse * call.weights[0][channel] + call.weights[1][channel];
                    call.output[(n * pixels + p) * channels + c] =
                        static_cast<float>(activateReference(op.activation, y));
                }
        }
}

void computeReference(const LayerNorm& op, const ReferenceCall& call) {
    const std::int64_t rows = call.outputShape.rows(), channels = call.outputShape.channels();
    for (std::int64_t row = 0; row < rows; ++row) {
        const float* x = call.inputs[0] + row * channels;
        const Moments moments = momentsOf(channels, [x](std::int64_t c) { return static_cast<double>(x[c]); });
        const double inverse = 1.0 / std::sqrt(moments.variance + op.epsilon);
        for (std::int64_t c = 0; c < channels; ++c) {
            const auto channel = static_cast<std::size_t>(c);
            call.output[row * channels + c] = static_cast<float>(
                (x[c] - moments.mean) * inverse * call.weights[0][channel] + call.weights[1][channel]);
        }
    }
}

}  // namespace reelbrush::kernels
