#pragma once

#include "engine/cache/cache_tier.h"

namespace reelbrush::cache {

/// Plain memory of the host.
class RamTier : public CacheTier {
  public:
    /// limitBytes: above 0.
    explicit RamTier(std::size_t limitBytes) : budget_(std::make_shared<kernels::MemoryBudget>(limitBytes)) {}

    std::string name() const override { return "RAM"; }
    const kernels::MemoryBudget& budget() const override { return *budget_; }
    Result<std::unique_ptr<TierBlock>> allocate(std::size_t bytes) override;
    Status write(TierBlock& block, std::span<const std::byte> bytes) override;
    Status read(TierBlock& block, std::span<std::byte> bytes) override;

  private:
    std::shared_ptr<kernels::MemoryBudget> budget_;
};

}  // namespace reelbrush::cache
