#include "kernels/cuda/cuda_status.h"
#include "kernels/cuda/packed_values.cuh"
#include "kernels/cuda/quantised_values.h"

namespace reelbrush::kernels {

namespace {

constexpr int kLargest = 127;
constexpr int kAtOnce = 16;  ///< int8 that 16 bytes hold
constexpr int kBlock = static_cast<int>(QuantisedLayout::kScaleBlock);
static_assert(kBlock % kAtOnce == 0);

using Bytes = Packed<std::int8_t, kAtOnce>;

/// One thread for each block of values: done once, when weights are loaded.
template <typename T>
__global__ void quantiseAll(const T* from, std::int64_t blocks, std::int8_t* values, __nv_bfloat16* scales) {
    const std::int64_t block = threadIndex();
    if (block >= blocks) return;
    using Part = Vector<T>;
    const auto* parts = reinterpret_cast<const Part*>(from + block * kBlock);
    float largest = 0.0f;
    for (int i = 0; i < kBlock / Part::kCount; ++i) {
        const Part part = parts[i];
#pragma unroll
        for (int j = 0; j < Part::kCount; ++j) largest = fmaxf(largest, fabsf(toFloat(part.values[j])));
    }
    // Rounded up, so that the largest value stays within what an int8 holds.
    const __nv_bfloat16 scale = __float2bfloat16_ru(largest / kLargest);
    scales[block] = scale;
    const float factor = largest > 0.0f ? 1.0f / toFloat(scale) : 0.0f;
    for (int first = 0; first < kBlock; first += kAtOnce) {
        Bytes bytes;
#pragma unroll
        for (int part = 0; part < kAtOnce / Part::kCount; ++part) {
            const Part loaded = parts[first / Part::kCount + part];
#pragma unroll
            for (int j = 0; j < Part::kCount; ++j) {
                const float value = rintf(toFloat(loaded.values[j]) * factor);
                bytes.values[part * Part::kCount + j] =
                    static_cast<std::int8_t>(fminf(fmaxf(value, -kLargest), kLargest));
            }
        }
        *reinterpret_cast<Bytes*>(values + block * kBlock + first) = bytes;
    }
}

/// One thread for each 16 values.
template <typename T>
__global__ void expandAll(const std::int8_t* values, const __nv_bfloat16* scales, std::int64_t items, T* to) {
    const std::int64_t item = threadIndex();
    if (item >= items) return;
    const Bytes bytes = reinterpret_cast<const Bytes*>(values)[item];
    const float scale = toFloat(scales[item / (kBlock / kAtOnce)]);
    using Part = Vector<T>;
    auto* parts = reinterpret_cast<Part*>(to + item * kAtOnce);
#pragma unroll
    for (int part = 0; part < kAtOnce / Part::kCount; ++part) {
        Part expanded;
#pragma unroll
        for (int j = 0; j < Part::kCount; ++j)
            expanded.values[j] = fromFloat<T>(static_cast<float>(bytes.values[part * Part::kCount + j]) * scale);
        parts[part] = expanded;
    }
}

}  // namespace

Status quantiseValues(const void* from, DType type, const QuantisedLayout& layout, std::byte* to, cudaStream_t stream) {
    const auto blocks = static_cast<std::int64_t>(layout.blocks);
    if (blocks == 0) return {};
    withElement(type, [&](auto element) {
        using T = decltype(element);
        quantiseAll<T><<<blocksFor(blocks), kThreads, 0, stream>>>(
            static_cast<const T*>(from), blocks, reinterpret_cast<std::int8_t*>(to),
            reinterpret_cast<__nv_bfloat16*>(to + layout.scalesOffset()));
    });
    return launchStatus("rounding weights to int8");
}

Status expandValues(const std::byte* from, const QuantisedLayout& layout, DType type, void* to, cudaStream_t stream) {
    const auto items = static_cast<std::int64_t>(layout.values()) / kAtOnce;
    if (items == 0) return {};
    withElement(type, [&](auto element) {
        using T = decltype(element);
        expandAll<T><<<blocksFor(items), kThreads, 0, stream>>>(
            reinterpret_cast<const std::int8_t*>(from),
            reinterpret_cast<const __nv_bfloat16*>(from + layout.scalesOffset()), items, static_cast<T*>(to));
    });
    return launchStatus("expanding weights");
}

}  // namespace reelbrush::kernels
