#pragma once

#include "kernels/cuda/attention_hopper.cuh"

#include <cstdint>
#include <string>

namespace reelbrush::kernels {

template <typename T, int kHead, typename Layout>
__global__ void __launch_bounds__(Layout::kLayout.threads(), Layout::kLayout.blocksOnMultiprocessor)
    hopperAttention(const __grid_constant__ AttentionProblem problem, const __grid_constant__ AttentionMaps maps) {
    constexpr HopperLayout kLayout = Layout::kLayout;
    extern __shared__ unsigned char memory[];
    const HopperShared<kHead, Layout> shared(memory);
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < kLayout.stages; ++stage) {
            initBarrier(shared.filled(stage), 1);
            initBarrier(shared.emptied(stage), kLayout.warpgroups * 4);
        }
        publishBarriers();
    }
    __syncthreads();
    const HopperItem<Layout> item(problem);
    HopperWarpgroup<T, kHead, Layout>(problem, maps, item, shared).attend();
}

template <typename T, int kHead, typename Layout>
void launchHopper(const AttentionProblem& problem, const AttentionMaps& maps, cudaStream_t stream) {
    constexpr int kRows = Layout::kLayout.rows();
    const auto blocks = static_cast<unsigned>((problem.queries + kRows - 1) / kRows * problem.heads * problem.batch);
    hopperAttention<T, kHead, Layout>
        <<<blocks, Layout::kLayout.threads(), HopperShared<kHead, Layout>::kBytes, stream>>>(problem, maps);
}

template <int kWarpgroups, int kTileKeys, int kStages, int kBlocks, bool kTakesTurns>
struct HopperDivision {
    static constexpr HopperLayout kLayout{kWarpgroups, kTileKeys, kStages, kBlocks, kTakesTurns};
};

template <typename T, int kHead, typename Layout>
HopperAttention hopperOf() {
    constexpr HopperLayout kLayout = Layout::kLayout;
    constexpr int kBytesOfMultiprocessor = 227 * 1024, kReservedBytes = 1024;
    static_assert((HopperShared<kHead, Layout>::kBytes + kReservedBytes) * kLayout.blocksOnMultiprocessor <=
                  kBytesOfMultiprocessor + kReservedBytes);
    HopperAttention attention;
    attention.name = "hopper " + std::to_string(kLayout.warpgroups) + "x" + std::to_string(kLayout.tileKeys) +
                     (kLayout.takesTurns ? " in turns" : "");
    attention.tileKeys = kLayout.tileKeys;
    attention.sharedBytes = HopperShared<kHead, Layout>::kBytes;
    attention.launch = &launchHopper<T, kHead, Layout>;
    attention.kernel = reinterpret_cast<const void*>(&hopperAttention<T, kHead, Layout>);
    return attention;
}

/// The divisions worth trying by head size: as many warpgroups as registers allow hide each other's waits, larger tiles
/// wait less often, and small blocks fill the card where there are few queries.
template <typename T>
std::vector<HopperAttention> hopperAttentionsOfType(int headSize) {
    if (headSize <= 40)
        return {hopperOf<T, 40, HopperDivision<4, 64, 4, 1, false>>(),
                hopperOf<T, 40, HopperDivision<2, 64, 4, 2, false>>(),
                hopperOf<T, 40, HopperDivision<3, 128, 3, 1, false>>(),
                hopperOf<T, 40, HopperDivision<2, 128, 3, 1, true>>(),
                hopperOf<T, 40, HopperDivision<3, 128, 3, 1, true>>(),
                hopperOf<T, 40, HopperDivision<4, 64, 4, 1, true>>(),
                hopperOf<T, 40, HopperDivision<3, 96, 4, 1, false>>(),
                hopperOf<T, 40, HopperDivision<4, 80, 4, 1, false>>()};
    if (headSize <= 64)
        return {hopperOf<T, 64, HopperDivision<4, 64, 4, 1, false>>(),
                hopperOf<T, 64, HopperDivision<2, 64, 4, 2, false>>(),
                hopperOf<T, 64, HopperDivision<3, 64, 4, 1, false>>(),
                hopperOf<T, 64, HopperDivision<3, 96, 4, 1, false>>(),
                hopperOf<T, 64, HopperDivision<2, 128, 3, 1, true>>(),
                hopperOf<T, 64, HopperDivision<3, 80, 4, 1, false>>()};
    if (headSize <= 80)
        return {hopperOf<T, 80, HopperDivision<3, 64, 4, 1, false>>(),
                hopperOf<T, 80, HopperDivision<2, 128, 3, 1, true>>(),
                hopperOf<T, 80, HopperDivision<1, 64, 2, 3, false>>(),
                hopperOf<T, 80, HopperDivision<3, 96, 3, 1, false>>(),
                hopperOf<T, 80, HopperDivision<3, 80, 4, 1, false>>()};
    if (headSize <= 128)
        return {hopperOf<T, 128, HopperDivision<2, 64, 4, 1, false>>(),
                hopperOf<T, 128, HopperDivision<1, 64, 2, 2, false>>(),
                hopperOf<T, 128, HopperDivision<2, 96, 3, 1, true>>(),
                hopperOf<T, 128, HopperDivision<2, 80, 4, 1, false>>()};
    return {hopperOf<T, kMaxHopperHead, HopperDivision<2, 64, 4, 1, false>>(),
            hopperOf<T, kMaxHopperHead, HopperDivision<1, 64, 2, 2, false>>(),
            hopperOf<T, kMaxHopperHead, HopperDivision<2, 80, 3, 1, false>>()};
}

}  // namespace reelbrush::kernels
