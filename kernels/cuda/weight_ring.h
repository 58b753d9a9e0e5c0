#pragma once

#include "kernels/cuda/cuda_memory.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

namespace reelbrush::kernels {

/// Device memory that weights pass through on their way from the host, and the stream that copies them there, beside
/// the one that computes.
class WeightRing {
  public:
    /// compute: the stream that reads the weights; must outlive this. Errors: OutOfMemory.
    static Result<std::shared_ptr<WeightRing>> create(std::size_t bytes, std::shared_ptr<MemoryBudget> budget,
                                                      cudaStream_t compute);
    ~WeightRing();
    WeightRing(const WeightRing&) = delete;
    WeightRing& operator=(const WeightRing&) = delete;

    std::byte* data() const { return memory_->data(); }
    std::size_t sizeBytes() const { return memory_->sizeBytes(); }
    cudaStream_t compute() const { return compute_; }
    cudaStream_t copies() const { return copies_; }
    /// What is copied from now on waits for all that is queued to compute. In a recording this is what makes the copies
    /// part of it.
    Status begin() const;

  private:
    explicit WeightRing(cudaStream_t compute) : compute_(compute) {}

    std::unique_ptr<CudaMemory> memory_;
    cudaStream_t compute_, copies_ = nullptr;
    cudaEvent_t begun_ = nullptr;
};

}  // namespace reelbrush::kernels
