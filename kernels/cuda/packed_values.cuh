#pragma once

#include "kernels/cuda/element_type.h"

#include <cstdint>

namespace reelbrush::kernels {

/// kCount elements that lie side by side, loaded and stored at once.
template <typename T, int kCount>
struct alignas(sizeof(T) * kCount) Packed {
    T values[kCount];
};

/// Threads of a block, and the blocks that `items` need with one thread each.
inline constexpr unsigned kThreads = 256;
inline unsigned blocksFor(std::int64_t items) {
    return static_cast<unsigned>((items + kThreads - 1) / kThreads);
}
#ifdef __CUDACC__
__device__ inline std::int64_t threadIndex() {
    return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}

/// Reads kCount floats that lie side by side, 16 bytes at once; `from` is aligned to as many of them, at most 16 bytes.
template <int kCount>
__device__ void readFloats(const float* from, float (&to)[kCount]) {
    constexpr int kPart = kCount < 4 ? kCount : 4;
    static_assert(kCount % kPart == 0);
#pragma unroll
    for (int first = 0; first < kCount; first += kPart) {
        const auto part = *reinterpret_cast<const Packed<float, kPart>*>(from + first);
#pragma unroll
        for (int i = 0; i < kPart; ++i) to[first + i] = part.values[i];
    }
}
#endif

/// Calls work(T{}, std::integral_constant<int, width>{}) with the element type and the widest packing, 16 bytes or one
/// element, that divides every count given.
template <typename Work, typename... Counts>
decltype(auto) withPacking(DType type, Work&& work, Counts... counts) {
    return withElement(type, [&](auto element) {
        constexpr int kWide = 16 / static_cast<int>(sizeof(element));
        if (((counts % kWide == 0) && ...)) return work(element, std::integral_constant<int, kWide>{});
        return work(element, std::integral_constant<int, 1>{});
    });
}

}  // namespace reelbrush::kernels
