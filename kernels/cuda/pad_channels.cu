#include "kernels/cuda/cuda_status.h"
#include "kernels/cuda/element_type.h"
#include "kernels/cuda/pad_channels.h"

#include <limits>

namespace reelbrush::kernels {

namespace {

constexpr unsigned kThreads = 256;

/// One thread for each 16 bytes of the result.
template <typename T>
__global__ void padAll(const T* x, Vector<T>* y, std::uint32_t channels, std::uint32_t groupsInRow,
                       std::uint32_t groups) {
    constexpr std::uint32_t kCount = Vector<T>::kCount;
    const std::uint32_t index = blockIdx.x * kThreads + threadIdx.x;
    if (index >= groups) return;
    const std::uint32_t row = index / groupsInRow, first = index % groupsInRow * kCount;
    const T* from = x + static_cast<std::uint64_t>(row) * channels + first;
    Vector<T> values;
#pragma unroll
    for (std::uint32_t i = 0; i < kCount; ++i) values.values[i] = first + i < channels ? from[i] : fromFloat<T>(0.0f);
    y[index] = values;
}

}  // namespace

std::int64_t paddedChannels(std::int64_t channels, DType type) {
    const auto step = static_cast<std::int64_t>(16 / sizeOf(type));
    return (channels + step - 1) / step * step;
}

Status padChannels(const void* x, std::int64_t rows, std::int64_t channels, DType type, void* y, cudaStream_t stream) {
    return withElement(type, [&](auto element) -> Status {
        using T = decltype(element);
        const std::int64_t groupsInRow = paddedChannels(channels, type) / Vector<T>::kCount;
        RB_ENSURE(rows * groupsInRow <= std::numeric_limits<std::int32_t>::max(), "too many channels to pad");
        const auto groups = static_cast<std::uint32_t>(rows * groupsInRow);
        padAll<T><<<(groups + kThreads - 1) / kThreads, kThreads, 0, stream>>>(
            static_cast<const T*>(x), static_cast<Vector<T>*>(y), static_cast<std::uint32_t>(channels),
            static_cast<std::uint32_t>(groupsInRow), groups);
        return launchStatus("padding the channels of a picture");
    });
}

}  // namespace reelbrush::kernels
