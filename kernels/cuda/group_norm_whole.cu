#include "kernels/cuda/activation_math.cuh"
#include "kernels/cuda/group_norm_call.cuh"
#include "kernels/cuda/group_norm_whole.h"
#include "kernels/cuda/packed_values.cuh"

#include <cstddef>

namespace reelbrush::kernels {

namespace {

constexpr int kBlock = 512;
constexpr int kWarps = kBlock / 32;
constexpr std::size_t kMostBytes = std::size_t{96} << 10;  // fits every card from Ampere on, twice on the largest
constexpr std::size_t kReservedBytes = 1024;               // the system's own, for each block

__device__ float sumOfBlock(float value, float* shared) {
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int warp = 0; warp < kWarps; ++warp) sum += shared[warp];
    __syncthreads();
    return sum;
}

/// blockIdx.x: the group, blockIdx.y: the sample. A thread reads, holds and writes the same values throughout.
template <typename T, int kWidth, Activation kind>
__global__ void __launch_bounds__(kBlock) normaliseGroup(NormCall call) {
    using Values = Packed<T, kWidth>;
    extern __shared__ __align__(16) unsigned char block[];
    __shared__ float partial[kWarps];
    auto* held = reinterpret_cast<Values*>(block);
    const int width = call.channels / call.groups, columns = width / kWidth;
    const int firstChannel = static_cast<int>(blockIdx.x) * width;
    const std::int64_t sample = std::int64_t{blockIdx.y} * call.pixels * call.channels + firstChannel;
    const T* from = static_cast<const T*>(call.x) + sample;
    T* to = static_cast<T*>(call.y) + sample;
    const int items = static_cast<int>(call.pixels) * columns;

    float sum = 0.0f;
#pragma unroll 4
    for (int item = threadIdx.x; item < items; item += kBlock) {
        const int pixel = item / columns, column = item - pixel * columns;
        const Values values =
            *reinterpret_cast<const Values*>(from + std::int64_t{pixel} * call.channels + column * kWidth);
        held[item] = values;
#pragma unroll
        for (int i = 0; i < kWidth; ++i)
            sum += toFloat(values.values[i]) + addedAt<T>(call, firstChannel + column * kWidth + i);
    }
    const float count = static_cast<float>(items) * kWidth;
    const float mean = sumOfBlock(sum, partial) / count;
    float squares = 0.0f;
    for (int item = threadIdx.x; item < items; item += kBlock) {
        const int column = item % columns;
        const Values values = held[item];
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            const float distance =
                toFloat(values.values[i]) + addedAt<T>(call, firstChannel + column * kWidth + i) - mean;
            squares += distance * distance;
        }
    }
    const float inverse = rsqrtf(sumOfBlock(squares, partial) / count + call.epsilon);
#pragma unroll 4
    for (int item = threadIdx.x; item < items; item += kBlock) {
        const int pixel = item / columns, column = item - pixel * columns;
        Values values = held[item];
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            const int channel = firstChannel + column * kWidth + i;
            const float normed = (toFloat(values.values[i]) + addedAt<T>(call, channel) - mean) * inverse;
            values.values[i] = fromFloat<T>(activate<kind>(normed * call.gamma[channel] + call.beta[channel]));
        }
        *reinterpret_cast<Values*>(to + std::int64_t{pixel} * call.channels + column * kWidth) = values;
    }
}

template <typename T, int kWidth>
Status launch(const NormCall& call, Activation activation, std::int64_t batch, cudaStream_t stream) {
    const std::size_t shared = static_cast<std::size_t>(call.pixels * (call.channels / call.groups)) * sizeof(T);
    return withActivation(activation, [&](auto kind) -> Status {
        const auto kernel = normaliseGroup<T, kWidth, decltype(kind)::value>;
        RB_TRY(cudaStatus(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kMostBytes)),
            "preparing a group norm"));
        kernel<<<dim3(static_cast<unsigned>(call.groups), static_cast<unsigned>(batch)), kBlock, shared, stream>>>(
            call);
        return launchStatus("a group norm");
    });
}

}  // namespace

bool groupFitsABlock(std::int64_t values, DType type, const cudaDeviceProp& device) {
    const std::size_t bytes = static_cast<std::size_t>(values) * sizeOf(type);
    return bytes <= kMostBytes && bytes + kReservedBytes <= device.sharedMemPerBlockOptin;
}

Status normaliseWholeGroups(const NormCall& call, DType type, Activation activation, std::int64_t batch,
                            cudaStream_t stream) {
    return withElement(type, [&](auto element) {
        using T = decltype(element);
        const int width = call.channels / call.groups;
        // As wide as a group's channels allow: its first one is a multiple of them too.
        if (width % 8 == 0 && sizeof(T) == 2) return launch<T, 8>(call, activation, batch, stream);
        if (width % 4 == 0) return launch<T, 4>(call, activation, batch, stream);
        if (width % 2 == 0) return launch<T, 2>(call, activation, batch, stream);
        return launch<T, 1>(call, activation, batch, stream);
    });
}

}  // namespace reelbrush::kernels
