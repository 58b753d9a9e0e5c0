#pragma once

#include "kernels/tensor/status.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reelbrush::kernels {

/// What one holder has of a budget.
struct MemoryHolding {
    std::string holder;
    std::size_t bytes = 0;
    std::size_t peakBytes = 0;  ///< at most so far
};

/// A ceiling for the bytes that one device may hold, and the account of who holds them. Thread-safe.
class MemoryBudget {
  public:
    /// limitBytes 0: no ceiling, only the account.
    explicit MemoryBudget(std::size_t limitBytes = 0) : limitBytes_(limitBytes) {}

    std::size_t limitBytes() const { return limitBytes_; }
    std::size_t heldBytes() const;
    std::size_t peakBytes() const;
    /// Every holder that ever was, in the order in which they came; their bytes sum up to heldBytes().
    std::vector<MemoryHolding> holdings() const;

  private:
    friend class MemoryClaim;
    friend class HeldBy;

    /// Returns the holder. Errors: OutOfMemory; takes nothing then.
    Result<std::size_t> take(std::size_t bytes, const char* purpose);
    void giveBack(std::size_t bytes, std::size_t holder);

    const std::size_t limitBytes_;
    mutable std::mutex mutex_;
    std::size_t heldBytes_ = 0, peakBytes_ = 0;
    std::string holder_;  ///< of what is taken now; empty: its purpose
    std::vector<MemoryHolding> holdings_;
};

/// Bytes of a budget, owned: given back when it dies.
class MemoryClaim {
  public:
    MemoryClaim() = default;
    MemoryClaim(MemoryClaim&& other) noexcept { *this = std::move(other); }
    MemoryClaim& operator=(MemoryClaim&& other) noexcept;
    ~MemoryClaim() { release(); }

    /// budget: null claims nothing. purpose: what the bytes are for, in messages: "the work space on the GPU"; also who
    /// holds them unless HeldBy says otherwise.
    /// Errors: OutOfMemory, saying what was asked, held and allowed.
    static Result<MemoryClaim> make(std::shared_ptr<MemoryBudget> budget, std::size_t bytes, const char* purpose);

    /// Gives the bytes back now.
    void release();

  private:
    std::shared_ptr<MemoryBudget> budget_;
    std::size_t bytes_ = 0, holder_ = 0;
};

/// While it lives, what is taken from a budget is held by `holder`: "UNet". Scopes nest; the innermost counts.
class HeldBy {
  public:
    /// budget: may be null.
    HeldBy(std::shared_ptr<MemoryBudget> budget, std::string_view holder);
    ~HeldBy();
    HeldBy(const HeldBy&) = delete;
    HeldBy& operator=(const HeldBy&) = delete;

  private:
    std::shared_ptr<MemoryBudget> budget_;
    std::string before_;
};

}  // namespace reelbrush::kernels
