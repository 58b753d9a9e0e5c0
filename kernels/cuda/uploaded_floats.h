#pragma once

#include "kernels/cuda/cuda_context.h"
#include "kernels/plan/step.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace reelbrush::kernels {

/// Small weights of a node (gammas, betas) as f32 on the device, at addresses that stay.
class UploadedFloats {
  public:
    /// All weights that the node needs, in its order. Errors: BadInput of weights that are missing or of another shape;
    /// OutOfMemory.
    static Result<UploadedFloats> load(const StepRequest& request, const CudaContext& context);
    /// Other values to the same addresses; waits until they are there.
    Status reload(const WeightProvider& weights);

    const float* at(std::size_t weight) const {
        return reinterpret_cast<const float*>(memory_->data()) + offsets_[weight];
    }
    std::size_t sizeBytes() const { return memory_->sizeBytes(); }

  private:
    Node node_;
    std::vector<Shape> inputs_;
    cudaStream_t stream_ = nullptr;
    std::unique_ptr<CudaMemory> memory_;
    std::vector<std::size_t> offsets_;  ///< floats
};

}  // namespace reelbrush::kernels
