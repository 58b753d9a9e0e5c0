#pragma once

#include "engine/cache/cache_tier.h"
#include "kernels/plan/backend.h"

#include <memory>
#include <mutex>

namespace reelbrush::cache {

/// Memory of a backend's device. Copies go through a block of 4 MiB that both reach, which the backend's
/// account of shared memory has, and wait for the device.
class DeviceTier : public CacheTier {
  public:
    /// backend: this tier's alone, since a device serves one thread at a time; it has a device(). limitBytes: above 0.
    /// Errors: OutOfMemory, Unsupported where it computes in the host's memory.
    static Result<std::unique_ptr<DeviceTier>> make(std::shared_ptr<kernels::Backend> backend, std::size_t limitBytes);

    std::string name() const override { return "GPU"; }
    const kernels::MemoryBudget& budget() const override { return *budget_; }
    std::size_t roundedBytes(std::size_t bytes) const override;
    Result<std::unique_ptr<TierBlock>> allocate(std::size_t bytes) override;
    Status write(TierBlock& block, std::span<const std::byte> bytes) override;
    Status read(TierBlock& block, std::span<std::byte> bytes) override;

  private:
    DeviceTier(std::shared_ptr<kernels::Backend> backend, std::size_t limitBytes)
        : backend_(std::move(backend)), budget_(std::make_shared<kernels::MemoryBudget>(limitBytes)) {}

    std::shared_ptr<kernels::Backend> backend_;
    std::shared_ptr<kernels::MemoryBudget> budget_;
    std::mutex mutex_;  ///< of the device
    std::unique_ptr<kernels::DeviceMemory> staging_;
};

/// Host memory that a backend's device reaches without a copy of the driver's.
class PinnedTier : public CacheTier {
  public:
    /// backend: as for DeviceTier; both may have the same one.
    PinnedTier(std::shared_ptr<kernels::Backend> backend, std::size_t limitBytes)
        : backend_(std::move(backend)), budget_(std::make_shared<kernels::MemoryBudget>(limitBytes)) {}

    std::string name() const override { return "RAM"; }
    const kernels::MemoryBudget& budget() const override { return *budget_; }
    Result<std::unique_ptr<TierBlock>> allocate(std::size_t bytes) override;
    Status write(TierBlock& block, std::span<const std::byte> bytes) override;
    Status read(TierBlock& block, std::span<std::byte> bytes) override;

  private:
    std::shared_ptr<kernels::Backend> backend_;
    std::shared_ptr<kernels::MemoryBudget> budget_;
};

}  // namespace reelbrush::cache
