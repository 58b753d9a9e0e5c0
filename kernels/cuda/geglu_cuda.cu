#include "kernels/cuda/activation_math.cuh"
#include "kernels/cuda/cuda_status.h"
#include "kernels/cuda/cuda_step.h"
#include "kernels/cuda/geglu_cuda.h"
#include "kernels/cuda/packed_values.cuh"

namespace reelbrush::kernels {

namespace {

template <typename T, int kWidth>
__global__ void gateAll(const T* x, T* y, std::int64_t items, int columns) {
    using Values = Packed<T, kWidth>;
    const std::int64_t item = threadIndex();
    if (item >= items) return;
    const auto* row = reinterpret_cast<const Values*>(x) + item / columns * columns * 2;
    const std::int64_t column = item % columns;
    Values values = row[column];
    const Values gates = row[columns + column];
#pragma unroll
    for (int i = 0; i < kWidth; ++i)
        values.values[i] =
            fromFloat<T>(toFloat(values.values[i]) * activate<Activation::Gelu>(toFloat(gates.values[i])));
    reinterpret_cast<Values*>(y)[item] = values;
}

class GegluStep final : public CudaStep {
  public:
    GegluStep(const StepRequest& request, const CudaContext& context)
        : CudaStep(context),
          count_(request.output.elements()),
          channels_(static_cast<int>(request.output.channels())) {}

    Status run() override {
        withPacking(
            context().valueType,
            [&](auto element, auto width) {
                using T = decltype(element);
                constexpr int kWidth = decltype(width)::value;
                const std::int64_t items = count_ / kWidth;
                gateAll<T, kWidth>
                    <<<blocksFor(items), kThreads, 0, stream()>>>(input<T>(0), output<T>(), items, channels_ / kWidth);
            },
            channels_);
        return launchStatus("a gated GELU");
    }
    std::string algorithm() const override { return "cuda"; }

  private:
    std::int64_t count_;
    int channels_;
};

}  // namespace

Result<std::unique_ptr<Step>> makeGegluStep(const StepRequest& request, const CudaContext& context) {
    return std::make_unique<GegluStep>(request, context);
}

}  // namespace reelbrush::kernels
