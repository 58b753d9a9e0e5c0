#include "kernels/cuda/cuda_status.h"
#include "kernels/cuda/element_type.h"
#include "kernels/cuda/place_weights.h"

#include <cuda_fp8.h>

#include <algorithm>

namespace reelbrush::kernels {

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kMostBlocks = 1024;

template <typename Stored>
__device__ float storedToFloat(Stored value) {
    if constexpr (std::is_same_v<Stored, __half> || std::is_same_v<Stored, __nv_bfloat16>)
        return toFloat(value);
    else
        return static_cast<float>(value);
}

/// The source lies in host memory: reading it 16 bytes at a time is what fills the bus.
template <typename Stored, typename T>
__global__ void placeAll(WeightPiece piece, T* to) {
    constexpr unsigned kCount = 16 / sizeof(Stored);
    struct alignas(16) Group {
        Stored values[kCount];
    };
    const auto* groups = reinterpret_cast<const Group*>(piece.values);
    const unsigned groupCount = (piece.count + kCount - 1) / kCount;
    const unsigned rowLength = piece.inputs * piece.area, firstScale = piece.first / piece.scaleBlock;
    for (unsigned g = blockIdx.x * kThreads + threadIdx.x; g < groupCount; g += gridDim.x * kThreads) {
        const Group group = groups[g];
#pragma unroll
        for (unsigned j = 0; j < kCount; ++j) {
            if (g * kCount + j >= piece.count) break;
            const unsigned index = piece.first + g * kCount + j;
            float value = storedToFloat(group.values[j]);
            if (piece.scales) {
                const auto* scales = reinterpret_cast<const __half*>(piece.scales);
                value *= __half2float(scales[index / piece.scaleBlock - firstScale]);
            }
            const unsigned output = index / rowLength, inRow = index % rowLength;
            const unsigned channel = inRow / piece.area, tap = inRow % piece.area;
            const std::uint64_t place = (static_cast<std::uint64_t>(output) * piece.area + tap) * piece.pitch + channel;
            to[place] = fromFloat<T>(value);
        }
    }
}

/// Calls `work` with a value of the C++ type that a weight is stored in.
template <typename Work>
Status withStored(DType type, Work&& work) {
    switch (type) {
        case DType::F64:
            return work(double{});
        case DType::F32:
            return work(float{});
        case DType::F16:
            return work(__half{});
        case DType::BF16:
            return work(__nv_bfloat16{});
        case DType::F8E4M3:
            return work(__nv_fp8_e4m3{});
        case DType::F8E5M2:
            return work(__nv_fp8_e5m2{});
        case DType::I64:
            return work(std::int64_t{});
        case DType::I32:
            return work(std::int32_t{});
        case DType::I16:
            return work(std::int16_t{});
        case DType::I8:
            return work(std::int8_t{});
        case DType::U8:
        case DType::Bool:
            return work(std::uint8_t{});
    }
    return fail(StatusCode::Internal, "a weight of an unknown type");
}

}  // namespace

Status placeWeights(const WeightPiece& piece, DType type, void* to, cudaStream_t stream) {
    if (piece.count == 0) return {};
    return withStored(piece.stored, [&](auto stored) {
        using Stored = decltype(stored);
        const unsigned groups = (piece.count + 16 / sizeof(Stored) - 1) / (16 / sizeof(Stored));
        const unsigned blocks = std::min(kMostBlocks, (groups + kThreads - 1) / kThreads);
        withElement(type, [&](auto element) {
            using T = decltype(element);
            placeAll<Stored, T><<<blocks, kThreads, 0, stream>>>(piece, static_cast<T*>(to));
        });
        return launchStatus("copying weights to the GPU");
    });
}

}  // namespace reelbrush::kernels
