#include "kernels/cpu/short_waits.h"

#include "kernels/cpu/processor.h"

#include <omp.h>

#include <algorithm>

namespace reelbrush::kernels {

ShortWaits::ShortWaits(int threads) {
    if (threads < 2) return;  // nobody waits
    // Together with the team that computes, one more than there are processors.
    const int size = std::max(2, availableProcessors() - threads + 2);
    owner_ = std::thread([this, size] { keepTeam(size); });
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return hasTeam_; });
}

ShortWaits::~ShortWaits() {
    if (!owner_.joinable()) return;
    {
        const std::scoped_lock lock(mutex_);
        isOver_ = true;
    }
    changed_.notify_all();
    owner_.join();
}

/// The team belongs to the thread that made it, and sleeps as long as that one does.
void ShortWaits::keepTeam(int size) {
    int members = 0;
#pragma omp parallel num_threads(size)
    {
#pragma omp atomic
        ++members;
    }
    std::unique_lock lock(mutex_);
    hasTeam_ = members > 0;
    changed_.notify_all();
    changed_.wait(lock, [this] { return isOver_; });
}

}  // namespace reelbrush::kernels
