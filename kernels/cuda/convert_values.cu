#include "kernels/cuda/convert_values.h"
#include "kernels/cuda/cuda_status.h"
#include "kernels/cuda/element_type.h"

#include <algorithm>

namespace reelbrush::kernels {

namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kMostBlocks = 2048;

template <typename From, typename To>
__global__ void convertAll(const From* from, To* to, std::int64_t count) {
    const std::int64_t stride = std::int64_t{gridDim.x} * kThreads;
    for (std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; i < count; i += stride)
        to[i] = fromFloat<To>(toFloat(from[i]));
}

unsigned blocksFor(std::int64_t count) {
    return static_cast<unsigned>(std::min(kMostBlocks, (count + kThreads - 1) / kThreads));
}

}  // namespace

Status convertFromFloat(const float* from, std::int64_t count, DType type, void* to, cudaStream_t stream) {
    if (count == 0) return {};
    withElement(type, [&](auto element) {
        using T = decltype(element);
        convertAll<<<blocksFor(count), kThreads, 0, stream>>>(from, static_cast<T*>(to), count);
    });
    return launchStatus("copying values to the GPU");
}

Status convertToFloat(const void* from, DType type, std::int64_t count, float* to, cudaStream_t stream) {
    if (count == 0) return {};
    withElement(type, [&](auto element) {
        using T = decltype(element);
        convertAll<<<blocksFor(count), kThreads, 0, stream>>>(static_cast<const T*>(from), to, count);
    });
    return launchStatus("copying values from the GPU");
}

}  // namespace reelbrush::kernels
