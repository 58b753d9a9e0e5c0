#include "kernels/cuda/cuda_status.h"
#include "kernels/cuda/cuda_step.h"
#include "kernels/cuda/layer_norm_cuda.h"
#include "kernels/cuda/packed_values.cuh"
#include "kernels/cuda/uploaded_floats.h"

#include <utility>

namespace reelbrush::kernels {

namespace {

constexpr int kWarp = 32;

__device__ float sumOfWarp(float value) {
    for (int distance = kWarp / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
    return value;
}

/// A warp holds its row in registers, kTurns packed values a thread.
template <typename T, int kWidth, int kTurns>
__global__ void normaliseRows(const T* x, const float* gamma, const float* beta, T* y, std::int64_t rows, int channels,
                              float epsilon) {
    using Values = Packed<T, kWidth>;
    const std::int64_t row = threadIndex() / kWarp;
    if (row >= rows) return;
    const int lane = static_cast<int>(threadIdx.x) % kWarp, columns = channels / kWidth;
    const auto* from = reinterpret_cast<const Values*>(x + row * channels);
    auto* to = reinterpret_cast<Values*>(y + row * channels);
    Values held[kTurns];
    float sum = 0.0f;
#pragma unroll
    for (int turn = 0; turn < kTurns; ++turn)
        if (lane + turn * kWarp < columns) held[turn] = from[lane + turn * kWarp];
#pragma unroll
    for (int turn = 0; turn < kTurns; ++turn)
        if (lane + turn * kWarp < columns)
#pragma unroll
            for (int i = 0; i < kWidth; ++i) sum += toFloat(held[turn].values[i]);
    const float mean = sumOfWarp(sum) / static_cast<float>(channels);
    float squares = 0.0f;
#pragma unroll
    for (int turn = 0; turn < kTurns; ++turn)
        if (lane + turn * kWarp < columns)
#pragma unroll
            for (int i = 0; i < kWidth; ++i) {
                const float distance = toFloat(held[turn].values[i]) - mean;
                squares += distance * distance;
            }
    const float inverse = rsqrtf(sumOfWarp(squares) / static_cast<float>(channels) + epsilon);
#pragma unroll
    for (int turn = 0; turn < kTurns; ++turn) {
        const int column = lane + turn * kWarp;
        if (column >= columns) continue;
        Values values;
        float scales[kWidth], offsets[kWidth];
        readFloats(gamma + column * kWidth, scales);
        readFloats(beta + column * kWidth, offsets);
#pragma unroll
        for (int i = 0; i < kWidth; ++i)
            values.values[i] = fromFloat<T>((toFloat(held[turn].values[i]) - mean) * inverse * scales[i] + offsets[i]);
        to[column] = values;
    }
}

/// Rows too long for that are read three times; the second and third find them in the cache.
template <typename T, int kWidth>
__global__ void normaliseLongRows(const T* x, const float* gamma, const float* beta, T* y, std::int64_t rows,
                                  int channels, float epsilon) {
    using Values = Packed<T, kWidth>;
    const std::int64_t row = threadIndex() / kWarp;
    if (row >= rows) return;
    const int lane = static_cast<int>(threadIdx.x) % kWarp, columns = channels / kWidth;
    const auto* from = reinterpret_cast<const Values*>(x + row * channels);
    auto* to = reinterpret_cast<Values*>(y + row * channels);
    float sum = 0.0f;
    for (int column = lane; column < columns; column += kWarp) {
        const Values values = from[column];
#pragma unroll
        for (int i = 0; i < kWidth; ++i) sum += toFloat(values.values[i]);
    }
    const float mean = sumOfWarp(sum) / static_cast<float>(channels);
    float squares = 0.0f;
    for (int column = lane; column < columns; column += kWarp) {
        const Values values = from[column];
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            const float distance = toFloat(values.values[i]) - mean;
            squares += distance * distance;
        }
    }
    const float inverse = rsqrtf(sumOfWarp(squares) / static_cast<float>(channels) + epsilon);
    for (int column = lane; column < columns; column += kWarp) {
        Values values = from[column];
        float scales[kWidth], offsets[kWidth];
        readFloats(gamma + column * kWidth, scales);
        readFloats(beta + column * kWidth, offsets);
#pragma unroll
        for (int i = 0; i < kWidth; ++i)
            values.values[i] = fromFloat<T>((toFloat(values.values[i]) - mean) * inverse * scales[i] + offsets[i]);
        to[column] = values;
    }
}

class LayerNormStep final : public CudaStep {
  public:
    LayerNormStep(const StepRequest& request, const CudaContext& context, UploadedFloats weights)
        : CudaStep(context),
          epsilon_(std::get<LayerNorm>(request.node.op).epsilon),
          weights_(std::move(weights)),
          rows_(request.output.rows()),
          channels_(static_cast<int>(request.output.channels())) {}

    std::size_t weightBytes() const override { return weights_.sizeBytes(); }
    Status loadWeights(const WeightProvider& weights) override { return weights_.reload(weights); }
    Status run() override {
        withPacking(
            context().valueType, [&](auto element, auto width) { launch<decltype(element), decltype(width)::value>(); },
            channels_);
        return launchStatus("a layer norm");
    }
    std::string algorithm() const override { return "cuda"; }

  private:
    template <typename T, int kWidth>
    void launch() const {
        const int turns = (channels_ / kWidth + kWarp - 1) / kWarp;
        const auto queue = [&](auto kernel) {
            kernel<<<blocksFor(rows_ * kWarp), kThreads, 0, stream()>>>(input<T>(0), weights_.at(0), weights_.at(1),
                                                                        output<T>(), rows_, channels_, epsilon_);
        };
        if (turns <= 2) return queue(normaliseRows<T, kWidth, 2>);
        if (turns <= 3) return queue(normaliseRows<T, kWidth, 3>);
        if (turns <= 5) return queue(normaliseRows<T, kWidth, 5>);
        if (turns <= 8) return queue(normaliseRows<T, kWidth, 8>);
        queue(normaliseLongRows<T, kWidth>);
    }

    float epsilon_;
    UploadedFloats weights_;
    std::int64_t rows_;
    int channels_;
};

}  // namespace

Result<std::unique_ptr<Step>> makeLayerNormStep(const StepRequest& request, const CudaContext& context) {
    RB_ASSIGN(UploadedFloats weights, UploadedFloats::load(request, context));
    return std::make_unique<LayerNormStep>(request, context, std::move(weights));
}

}  // namespace reelbrush::kernels
