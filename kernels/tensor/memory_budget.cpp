#include "kernels/tensor/memory_budget.h"

#include <fmt/format.h>

namespace reelbrush::kernels {

Status MemoryBudget::take(std::size_t bytes, const char* purpose) {
    std::size_t held = heldBytes_.load(std::memory_order_relaxed);
    do {
        if (limitBytes_ != 0 && (bytes > limitBytes_ || held > limitBytes_ - bytes))
            return fail(StatusCode::OutOfMemory,
                        fmt::format("{} needs {:.1f} MiB, but of the budget of {:.1f} MiB {:.1f} MiB are in use",
                                    purpose, bytes / 1048576.0, limitBytes_ / 1048576.0, held / 1048576.0));
    } while (!heldBytes_.compare_exchange_weak(held, held + bytes, std::memory_order_relaxed));
    std::size_t peak = peakBytes_.load(std::memory_order_relaxed);
    while (peak < held + bytes && !peakBytes_.compare_exchange_weak(peak, held + bytes, std::memory_order_relaxed)) {
    }
    return {};
}

void MemoryBudget::giveBack(std::size_t bytes) {
    heldBytes_.fetch_sub(bytes, std::memory_order_relaxed);
}

}  // namespace reelbrush::kernels
