#pragma once

#include "kernels/cuda/cuda_context.h"
#include "kernels/plan/step.h"

#include <cstddef>

namespace reelbrush::kernels {

class StreamedWeight;

/// A step on a CUDA device: run() queues on the context's stream and returns. Values are of the context's type, T, but
/// for those of exact_values.h, which are f32.
class CudaStep : public Step {
  public:
    void bind(const StepBuffers& buffers) override { buffers_ = buffers; }

    /// What this step brings from the host each time it runs; null for most.
    virtual StreamedWeight* streamed() const { return nullptr; }

  protected:
    explicit CudaStep(const CudaContext& context) : context_(context) {}

    const CudaContext& context() const { return context_; }
    cudaStream_t stream() const { return context_.stream; }
    /// The addresses are typed as host backends have them; on a device they are of what is stored there.
    template <typename T>
    const T* input(std::size_t index) const {
        return reinterpret_cast<const T*>(buffers_.inputs[index]);
    }
    template <typename T>
    T* output() const {
        return reinterpret_cast<T*>(buffers_.output);
    }
    std::byte* scratch() const { return buffers_.scratch; }

  private:
    const CudaContext& context_;
    StepBuffers buffers_;
};

}  // namespace reelbrush::kernels
