#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace reelbrush::kernels {

/// One block wanted in the arena: its size and the first and last step (both included) during which it must hold.
struct MemoryRequest {
    std::size_t bytes = 0;
    int firstStep = 0;
    int lastStep = 0;
};

struct MemoryPlan {
    std::vector<std::size_t> offsets;  ///< one per request, 64-byte aligned
    std::size_t totalBytes = 0;
};

/// Places blocks at fixed offsets of one arena so that no two that live at the same time overlap: largest first, each
/// into the smallest gap that fits (greedy by size, Pisarchyk and Lee 2020).
MemoryPlan planMemory(std::span<const MemoryRequest> requests);

}  // namespace reelbrush::kernels
