#include "kernels/cuda/activation_cuda.h"
#include "kernels/cuda/activation_math.cuh"
#include "kernels/cuda/cuda_status.h"
#include "kernels/cuda/cuda_step.h"
#include "kernels/cuda/packed_values.cuh"

#include <cstdint>

namespace reelbrush::kernels {

namespace {

template <typename T, int kWidth, Activation kind>
__global__ void activateAll(const T* x, T* y, std::int64_t items) {
    using Values = Packed<T, kWidth>;
    const std::int64_t item = threadIndex();
    if (item >= items) return;
    Values values = reinterpret_cast<const Values*>(x)[item];
#pragma unroll
    for (int i = 0; i < kWidth; ++i) values.values[i] = fromFloat<T>(activate<kind>(toFloat(values.values[i])));
    reinterpret_cast<Values*>(y)[item] = values;
}

class ActivationStep final : public CudaStep {
  public:
    ActivationStep(const StepRequest& request, const CudaContext& context)
        : CudaStep(context), kind_(std::get<ActivationOp>(request.node.op).kind), count_(request.output.elements()) {}

    Status run() override {
        withPacking(
            context().valueType,
            [&](auto element, auto width) {
                using T = decltype(element);
                constexpr int kWidth = decltype(width)::value;
                const std::int64_t items = count_ / kWidth;
                withActivation(kind_, [&](auto kind) {
                    activateAll<T, kWidth, decltype(kind)::value>
                        <<<blocksFor(items), kThreads, 0, stream()>>>(input<T>(0), output<T>(), items);
                });
            },
            count_);
        return launchStatus("an activation");
    }
    std::string algorithm() const override { return "cuda"; }

  private:
    Activation kind_;
    std::int64_t count_;
};

}  // namespace

Result<std::unique_ptr<Step>> makeActivationStep(const StepRequest& request, const CudaContext& context) {
    return std::make_unique<ActivationStep>(request, context);
}

}  // namespace reelbrush::kernels
