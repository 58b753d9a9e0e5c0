#pragma once

#include "kernels/plan/device.h"
#include "kernels/tensor/memory_budget.h"

#include <cstddef>
#include <memory>

namespace reelbrush::kernels {

/// Memory of the current CUDA device, counted in a budget.
class CudaMemory final : public DeviceMemory {
  public:
    /// budget: may be null. bytes 0 gives an empty block. Errors: OutOfMemory of the budget or the card.
    static Result<std::unique_ptr<CudaMemory>> allocate(std::size_t bytes, std::shared_ptr<MemoryBudget> budget,
                                                        const char* purpose);
    ~CudaMemory() override;
    CudaMemory(const CudaMemory&) = delete;
    CudaMemory& operator=(const CudaMemory&) = delete;

    std::byte* data() override { return data_; }
    const std::byte* data() const { return data_; }
    std::size_t sizeBytes() const override { return sizeBytes_; }

  private:
    CudaMemory() = default;

    std::byte* data_ = nullptr;
    std::size_t sizeBytes_ = 0;
    MemoryClaim claim_;
};

/// Page-locked host memory that the device reaches at the same address, counted in a budget of its own.
class PinnedMemory final : public DeviceMemory {
  public:
    /// budget: may be null. bytes 0 gives an empty block. Errors: OutOfMemory of the budget or the system.
    static Result<std::unique_ptr<PinnedMemory>> allocate(std::size_t bytes, std::shared_ptr<MemoryBudget> budget,
                                                          const char* purpose);
    ~PinnedMemory() override;
    PinnedMemory(const PinnedMemory&) = delete;
    PinnedMemory& operator=(const PinnedMemory&) = delete;

    std::byte* data() override { return data_; }
    std::size_t sizeBytes() const override { return sizeBytes_; }

  private:
    PinnedMemory() = default;

    std::byte* data_ = nullptr;
    std::size_t sizeBytes_ = 0;
    MemoryClaim claim_;
};

}  // namespace reelbrush::kernels
