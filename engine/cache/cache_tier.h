#pragma once

#include "engine/core/status.h"
#include "kernels/tensor/memory_budget.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace reelbrush::cache {

/// Memory of a tier, owned; its bytes go back to the tier's budget when it dies.
class TierBlock {
  public:
    virtual ~TierBlock() = default;
    virtual std::size_t sizeBytes() const = 0;
    /// Where the tier's own processor finds it, for those who compute there.
    virtual std::byte* address() = 0;
    /// Where the host finds it; null in memory that the host does not reach.
    virtual std::byte* hostBytes() = 0;
};

/// One kind of memory that frames are kept in, with a ceiling that holds to the byte: whatever it allocates is taken
/// from its budget first. Thread-safe.
class CacheTier {
  public:
    virtual ~CacheTier() = default;
    /// "GPU", "RAM"
    virtual std::string name() const = 0;
    virtual const kernels::MemoryBudget& budget() const = 0;
    /// What an allocation of that many bytes takes from the budget.
    virtual std::size_t roundedBytes(std::size_t bytes) const { return bytes; }

    /// Errors: OutOfMemory where the budget or the machine has no more.
    virtual Result<std::unique_ptr<TierBlock>> allocate(std::size_t bytes) = 0;
    /// Copies into the beginning of a block of this tier, and out of it. Errors: those of the device.
    virtual Status write(TierBlock& block, std::span<const std::byte> bytes) = 0;
    virtual Status read(TierBlock& block, std::span<std::byte> bytes) = 0;
};

}  // namespace reelbrush::cache
