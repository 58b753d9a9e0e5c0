#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

namespace reelbrush::kernels {

/// While one of these lives, OpenMP's threads wait for one another only briefly before they let others have their
/// processor. GCC's runtime otherwise spins for milliseconds at the end of each parallel loop: where another program
/// wants a processor, the thread that is waited for does not get it back until the others give up, and painting takes
/// fifty times as long. The runtime waits briefly only while it knows of more threads than processors, so this keeps a
/// team of idle ones (libgomp, config/linux/wait.h: gomp_throttled_spin_count_var).
class ShortWaits {
  public:
    /// threads: of the teams that compute.
    explicit ShortWaits(int threads);
    ~ShortWaits();
    ShortWaits(const ShortWaits&) = delete;
    ShortWaits& operator=(const ShortWaits&) = delete;

  private:
    void keepTeam(int size);

    std::mutex mutex_;
    std::condition_variable changed_;
    bool isOver_ = false, hasTeam_ = false;
    std::thread owner_;
};

}  // namespace reelbrush::kernels
