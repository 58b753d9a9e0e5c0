#include "kernels/cuda/activation_cuda.h"
#include "kernels/cuda/activation_math.cuh"
#include "kernels/cuda/cuda_status.h"
#include "kernels/cuda/cuda_step.h"
#include "kernels/cuda/element_type.h"

#include <cstdint>

namespace reelbrush::kernels {

namespace {

constexpr int kThreads = 256;

template <typename T, Activation kind>
__global__ void activateAll(const T* x, T* y, std::int64_t count) {
    const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
    if (i < count) y[i] = fromFloat<T>(activate<kind>(toFloat(x[i])));
}

class ActivationStep final : public CudaStep {
  public:
    ActivationStep(const StepRequest& request, const CudaContext& context)
        : CudaStep(context), kind_(std::get<ActivationOp>(request.node.op).kind), count_(request.output.elements()) {}

    Status run() override {
        const auto blocks = static_cast<unsigned>((count_ + kThreads - 1) / kThreads);
        withElement(context().valueType, [&](auto element) {
            using T = decltype(element);
            withActivation(kind_, [&](auto kind) {
                activateAll<T, decltype(kind)::value>
                    <<<blocks, kThreads, 0, stream()>>>(input<T>(0), output<T>(), count_);
            });
        });
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
