#include "kernels/plan/memory_plan.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace reelbrush::kernels {

namespace {

constexpr std::size_t kAlignment = 64;

std::size_t aligned(std::size_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

bool overlapInTime(const MemoryRequest& a, const MemoryRequest& b) {
    return a.firstStep <= b.lastStep && b.firstStep <= a.lastStep;
}

}  // namespace

MemoryPlan planMemory(std::span<const MemoryRequest> requests) {
    MemoryPlan plan;
    plan.offsets.assign(requests.size(), 0);
    std::vector<std::size_t> order(requests.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order,
                             [&](std::size_t a, std::size_t b) { return requests[a].bytes > requests[b].bytes; });

    std::vector<std::size_t> placed;  // indices, by offset
    for (std::size_t index : order) {
        const std::size_t bytes = aligned(requests[index].bytes);
        if (bytes == 0) continue;
        std::size_t end = 0;  // end of the neighbours seen so far
        std::size_t best = std::numeric_limits<std::size_t>::max();
        std::size_t bestGap = std::numeric_limits<std::size_t>::max();
        for (std::size_t other : placed) {
            if (!overlapInTime(requests[index], requests[other])) continue;
            const std::size_t start = plan.offsets[other];
            if (start > end && start - end >= bytes && start - end < bestGap) {
                best = end;
                bestGap = start - end;
            }
            end = std::max(end, start + aligned(requests[other].bytes));
        }
        plan.offsets[index] = bestGap == std::numeric_limits<std::size_t>::max() ? end : best;
        plan.totalBytes = std::max(plan.totalBytes, plan.offsets[index] + bytes);
        const auto byOffset = [&](std::size_t a, std::size_t b) { return plan.offsets[a] < plan.offsets[b]; };
        placed.insert(std::ranges::upper_bound(placed, index, byOffset), index);
    }
    return plan;
}

}  // namespace reelbrush::kernels
