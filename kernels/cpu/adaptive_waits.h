#pragma once

#include "kernels/cpu/short_waits.h"

#include <chrono>
#include <optional>

namespace reelbrush::kernels {

/// Keeps ShortWaits while other programs compete for the processors. On a free machine long waits are faster: a network
/// of many small layers takes a quarter less time. Thread: one at a time.
class AdaptiveWaits {
  public:
    /// threads: of the teams that compute.
    explicit AdaptiveWaits(int threads) : threads_(threads) {}
    /// Called between pieces of work of a millisecond or more.
    void look();

  private:
    using Clock = std::chrono::steady_clock;

    const int threads_;
    std::optional<ShortWaits> shortWaits_;
    std::optional<Clock::time_point> lookedAt_;
    Clock::time_point busyAt_;
    double delaySeconds_ = 0.0;
};

}  // namespace reelbrush::kernels
