#include "kernels/cpu/adaptive_waits.h"

#include "kernels/cpu/scheduler_delay.h"

namespace reelbrush::kernels {

namespace {

constexpr auto kInterval = std::chrono::milliseconds(20);
constexpr auto kQuietTime = std::chrono::seconds(2);
constexpr double kBusyShare = 0.05;  ///< of the time, waiting for a processor

}  // namespace

void AdaptiveWaits::look() {
    const Clock::time_point now = Clock::now();
    if (lookedAt_ && now - *lookedAt_ < kInterval) return;
    const double delay = schedulerDelaySeconds();
    const double elapsed = lookedAt_ ? std::chrono::duration<double>(now - *lookedAt_).count() : 0.0;
    const bool isBusy = lookedAt_ && delay - delaySeconds_ > kBusyShare * elapsed;
    lookedAt_ = now;
    delaySeconds_ = delay;
    if (isBusy) {
        busyAt_ = now;
        if (!shortWaits_) shortWaits_.emplace(threads_);
    } else if (shortWaits_ && now - busyAt_ > kQuietTime) {
        shortWaits_.reset();
    }
}

}  // namespace reelbrush::kernels
