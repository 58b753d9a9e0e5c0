#pragma once

#include "kernels/tensor/status.h"

#include <atomic>
#include <cstddef>
#include <memory>

namespace reelbrush::kernels {

/// A ceiling for the bytes that one device may hold, and the account of what is held. Thread-safe.
class MemoryBudget {
  public:
    /// limitBytes 0: no ceiling, only the account.
    explicit MemoryBudget(std::size_t limitBytes = 0) : limitBytes_(limitBytes) {}

    /// Takes bytes from the budget. Errors: OutOfMemory, saying what was asked, held and allowed; takes nothing then.
    Status take(std::size_t bytes, const char* purpose);
    void giveBack(std::size_t bytes);

    std::size_t limitBytes() const { return limitBytes_; }
    std::size_t heldBytes() const { return heldBytes_.load(std::memory_order_relaxed); }
    std::size_t peakBytes() const { return peakBytes_.load(std::memory_order_relaxed); }

  private:
    std::size_t limitBytes_;
    std::atomic<std::size_t> heldBytes_{0};
    std::atomic<std::size_t> peakBytes_{0};
};

}  // namespace reelbrush::kernels
