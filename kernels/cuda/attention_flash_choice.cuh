#pragma once

#include "kernels/cuda/attention_flash.cuh"
#include "kernels/cuda/attention_flash.h"
#include "kernels/cuda/cuda_status.h"

#include <cstdint>

namespace reelbrush::kernels {

template <typename T, int kHead, typename Layout>
__global__ void __launch_bounds__(Layout::kLayout.threads(), Layout::kLayout.blocksOnMultiprocessor)
    flashAttention(const __grid_constant__ AttentionProblem problem, unsigned items) {
    using Team = FlashTeam<T, kHead, Layout>;
    extern __shared__ __align__(128) unsigned char shared[];
    const unsigned team = threadIdx.x / Team::kTeamThreads;
    const unsigned item = blockIdx.x * Team::kLayout.teams + team;
    if (item >= items) return;
    Team(problem, item, shared + team * Team::kSharedBytes).attend();
}

template <typename Layout>
unsigned flashItems(const AttentionProblem& problem) {
    constexpr int kRows = Layout::kLayout.rows();
    return static_cast<unsigned>((problem.queries + kRows - 1) / kRows * problem.heads * problem.batch);
}

template <typename T, int kHead, typename Layout>
void launchFlash(const AttentionProblem& problem, cudaStream_t stream) {
    constexpr unsigned kTeams = Layout::kLayout.teams;
    const unsigned items = flashItems<Layout>(problem);
    flashAttention<T, kHead, Layout><<<(items + kTeams - 1) / kTeams, Layout::kLayout.threads(),
                                       FlashTeam<T, kHead, Layout>::kSharedBytes * kTeams, stream>>>(problem, items);
}

template <typename T, int kHead, typename Layout>
Result<FlashLaunch> prepareFlash() {
    constexpr int kSharedBytes = FlashTeam<T, kHead, Layout>::kSharedBytes * Layout::kLayout.teams;
    static_assert(kSharedBytes <= 99 * 1024, "what every card from Ampere on can give to one block");
    RB_TRY(cudaStatus(cudaFuncSetAttribute(flashAttention<T, kHead, Layout>,
                                           cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes),
                      "preparing an attention"));
    return &launchFlash<T, kHead, Layout>;
}

/// Head sizes by how many registers a row takes. Up to the middle ones a warp has two tiles of queries, which halves
/// what it reads of shared memory.
constexpr bool isSmallHead(int head) {
    return head <= 40;
}
constexpr bool isMiddleHead(int head) {
    return head <= 80;
}

/// Many queries: each tile of keys serves as many of them as possible.
template <int kHead>
struct FlashMany {
    static constexpr FlashLayout kLayout =
        isSmallHead(kHead) ? FlashLayout{2, 8, 1, 64, 32, 2, 1, 2}
                           : (isMiddleHead(kHead) ? FlashLayout{2, 4, 1, 64, 32, 2, 1, kHead <= 64 ? 3 : 2}
                                                  : FlashLayout{1, 4, 1, 64, 32, 2, 1, 2});
};

/// Too few blocks of those for the card: more warps share the keys.
template <int kHead>
struct FlashFew {
    static constexpr FlashLayout kLayout = isMiddleHead(kHead)
                                               ? FlashLayout{2, 4, 2, 64, 32, 2, 1, isSmallHead(kHead) ? 2 : 1}
                                               : FlashLayout{1, 2, 4, 64, 16, 2, 1, 1};
};

/// Frames of a pixel, and other problems of which there are many small ones: a warp each, side by side the heads of
/// one sample, whose rows are neighbours in memory.
template <int kHead>
struct FlashTiny {
    static constexpr FlashLayout kLayout{1, 1, 1, 32, 16, 1, 4, isSmallHead(kHead) ? 6 : (isMiddleHead(kHead) ? 4 : 2)};
};

template <typename T, int kHead>
Result<FlashLaunch> chooseFlashOfHead(const AttentionProblem& problem, int multiprocessors) {
    constexpr int kTinyQueries = 32, kTinyKeys = 64;
    using Many = FlashMany<kHead>;
    std::int64_t keys = 0;
    for (int i = 0; i < problem.segmentCount; ++i) keys += problem.segments[i].tokens;
    if (problem.queries <= kTinyQueries && keys <= kTinyKeys) return prepareFlash<T, kHead, FlashTiny<kHead>>();
    const std::int64_t blocks = flashItems<Many>(problem);
    const std::int64_t atOnce = std::int64_t{multiprocessors} * Many::kLayout.blocksOnMultiprocessor;
    if (blocks * 10 >= atOnce * 7) return prepareFlash<T, kHead, Many>();
    return prepareFlash<T, kHead, FlashFew<kHead>>();
}

template <typename T>
Result<FlashLaunch> chooseFlashOfType(const AttentionProblem& problem, int multiprocessors) {
    if (problem.headSize <= 32) return chooseFlashOfHead<T, 32>(problem, multiprocessors);
    if (problem.headSize <= 40) return chooseFlashOfHead<T, 40>(problem, multiprocessors);
    if (problem.headSize <= 64) return chooseFlashOfHead<T, 64>(problem, multiprocessors);
    if (problem.headSize <= 80) return chooseFlashOfHead<T, 80>(problem, multiprocessors);
    if (problem.headSize <= 128) return chooseFlashOfHead<T, 128>(problem, multiprocessors);
    return chooseFlashOfHead<T, kMaxFlashHead>(problem, multiprocessors);
}

Result<FlashLaunch> chooseFlashF16(const AttentionProblem& problem, int multiprocessors);
Result<FlashLaunch> chooseFlashBf16(const AttentionProblem& problem, int multiprocessors);

}  // namespace reelbrush::kernels
