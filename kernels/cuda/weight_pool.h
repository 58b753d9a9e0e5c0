#pragma once

#include "kernels/cuda/cuda_memory.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace reelbrush::kernels {

/// A part of a larger block of device memory, which lives as long as one of its parts.
class PooledMemory {
  public:
    PooledMemory() = default;
    PooledMemory(std::shared_ptr<CudaMemory> block, std::size_t offset, std::size_t sizeBytes)
        : block_(std::move(block)), data_(block_->data() + offset), sizeBytes_(sizeBytes) {}

    /// 256-byte aligned; null where it is empty.
    std::byte* data() const { return data_; }
    std::size_t sizeBytes() const { return sizeBytes_; }

  private:
    std::shared_ptr<CudaMemory> block_;
    std::byte* data_ = nullptr;
    std::size_t sizeBytes_ = 0;
};

/// Device memory for weights that come and go together. The driver gives large blocks in whole steps of 2 MiB; what a
/// weight leaves of its last step is used by smaller ones, so that what is counted is what the card gives. Thread: one
/// at a time.
class WeightPool {
  public:
    /// budget: may be null.
    explicit WeightPool(std::shared_ptr<MemoryBudget> budget) : budget_(std::move(budget)) {}

    /// Errors: OutOfMemory.
    Result<PooledMemory> take(std::size_t bytes);

  private:
    struct Rest {
        std::weak_ptr<CudaMemory> block;
        std::size_t offset = 0, bytes = 0;
    };

    std::shared_ptr<MemoryBudget> budget_;
    std::vector<Rest> rests_;
};

}  // namespace reelbrush::kernels
