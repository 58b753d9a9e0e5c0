#pragma once

#include "kernels/cuda/cuda_context.h"
#include "kernels/plan/step.h"
#include "kernels/plan/weight_shapes.h"

#include <memory>
#include <string>
#include <vector>

namespace reelbrush::kernels {

/// What a Conv2d or Linear multiplies with, in device memory in the context's type: outputs as rows, those of several
/// parts one below the other; [outputs, kernel height, kernel width, inputs]. Biases are of the same type, as the
/// fused epilogues of cuDNN and cuBLASLt want them. Addresses never change, so that recorded work stays valid.
class CudaWeights {
  public:
    /// How many outputs and inputs are held; those beyond the layer's own are zeros. 0: as many as the layer has.
    struct Padding {
        std::int64_t outputs = 0, inputs = 0;
    };
    /// request: of a Conv2d or a Linear. context must outlive this.
    /// Errors: BadInput where a weight is missing or of another shape, OutOfMemory.
    static Result<std::shared_ptr<CudaWeights>> load(const StepRequest& request, const CudaContext& context,
                                                     Padding padding);

    /// Reads all again, into the same places, and waits until it is done. Where this fails with BadInput, the old
    /// weights are still there.
    Status reload(const WeightProvider& weights);

    const void* product() const { return memory_->data(); }
    /// [outputs]; zeros for a part that has none. Null where no part has one.
    const void* bias() const { return hasBias_ ? memory_->data() + biasOffset_ : nullptr; }
    bool hasBias() const { return hasBias_; }
    std::size_t sizeBytes() const { return memory_->sizeBytes(); }

  private:
    /// One stored weight and where its rows begin.
    struct Part {
        std::string name;  ///< "": absent
        WeightNeed need;
        std::int64_t firstRow = 0;
    };

    explicit CudaWeights(const CudaContext& context) : context_(context) {}
    void listParts(const StepRequest& request);
    Result<std::vector<WeightView>> findAll(const WeightProvider& weights) const;
    Status upload(const WeightView& view, const Part& part) const;

    const CudaContext& context_;
    std::vector<Part> parts_;
    std::int64_t outputs_ = 0, pitch_ = 0, area_ = 1;
    bool hasBias_ = false;
    std::size_t biasOffset_ = 0;
    std::unique_ptr<CudaMemory> memory_;
};

}  // namespace reelbrush::kernels
