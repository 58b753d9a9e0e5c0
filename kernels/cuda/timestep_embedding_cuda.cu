#include "kernels/cuda/cuda_status.h"
#include "kernels/cuda/cuda_step.h"
#include "kernels/cuda/packed_values.cuh"
#include "kernels/cuda/timestep_embedding_cuda.h"

#include <cmath>

namespace reelbrush::kernels {

namespace {

/// Frequencies in double: an error in one is multiplied by timesteps of up to a thousand.
template <typename T>
__global__ void embed(const float* t, T* y, std::int64_t count, TimestepEmbedding op, double logPeriod) {
    const std::int64_t item = threadIndex();
    if (item >= count) return;
    const int half = op.channels / 2;
    const std::int64_t n = item / half;
    const int i = static_cast<int>(item % half);
    const double frequency = exp(-logPeriod * i / (static_cast<double>(half) - op.frequencyShift));
    const double angle = static_cast<double>(t[n]) * frequency;
    T* row = y + n * op.channels;
    row[op.cosineFirst ? i : half + i] = fromFloat<T>(static_cast<float>(cos(angle)));
    row[op.cosineFirst ? half + i : i] = fromFloat<T>(static_cast<float>(sin(angle)));
}

class TimestepEmbeddingStep final : public CudaStep {
  public:
    TimestepEmbeddingStep(const StepRequest& request, const CudaContext& context)
        : CudaStep(context), op_(std::get<TimestepEmbedding>(request.node.op)), count_(request.output.elements() / 2) {}

    Status run() override {
        withElement(context().valueType, [&](auto element) {
            using T = decltype(element);
            embed<<<blocksFor(count_), kThreads, 0, stream()>>>(input<float>(0), output<T>(), count_, op_,
                                                                std::log(static_cast<double>(op_.maxPeriod)));
        });
        return launchStatus("a timestep embedding");
    }
    std::string algorithm() const override { return "cuda"; }

  private:
    TimestepEmbedding op_;
    std::int64_t count_;
};

}  // namespace

Result<std::unique_ptr<Step>> makeTimestepEmbeddingStep(const StepRequest& request, const CudaContext& context) {
    return std::make_unique<TimestepEmbeddingStep>(request, context);
}

}  // namespace reelbrush::kernels
