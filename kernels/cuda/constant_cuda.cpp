#include "kernels/cuda/arrange_cuda.h"
#include "kernels/cuda/convert_values.h"
#include "kernels/cuda/cuda_status.h"
#include "kernels/cuda/cuda_step.h"
#include "kernels/cuda/uploaded_floats.h"

#include <utility>

namespace reelbrush::kernels {

namespace {

class ConstantStep final : public CudaStep {
  public:
    ConstantStep(const StepRequest& request, const CudaContext& context, UploadedFloats weights)
        : CudaStep(context), weights_(std::move(weights)), count_(request.output.elements()) {}

    std::size_t weightBytes() const override { return weights_.sizeBytes(); }
    Status loadWeights(const WeightProvider& weights) override { return weights_.reload(weights); }
    Status run() override {
        return convertFromFloat(weights_.at(0), count_, context().valueType, output<void>(), stream());
    }
    std::string algorithm() const override { return "cuda"; }

  private:
    UploadedFloats weights_;
    std::int64_t count_;
};

}  // namespace

Result<std::unique_ptr<Step>> makeConstantStep(const StepRequest& request, const CudaContext& context) {
    RB_ASSIGN(UploadedFloats weights, UploadedFloats::load(request, context));
    return std::make_unique<ConstantStep>(request, context, std::move(weights));
}

}  // namespace reelbrush::kernels
