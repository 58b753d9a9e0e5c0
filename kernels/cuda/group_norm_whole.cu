#include "kernels/cuda/activation_math.cuh"
#include "kernels/cuda/group_norm_call.cuh"
#include "kernels/cuda/group_norm_whole.h"
#include "kernels/cuda/packed_values.cuh"

#include <algorithm>
#include <cstddef>

namespace reelbrush::kernels {

namespace {

constexpr int kWarp = 32;
constexpr int kMostThreads = 1024;
constexpr int kLeastThreads = 64;
constexpr int kThreadItems = 4;                            // packed values that keep a thread busy
constexpr std::size_t kMostBytes = std::size_t{96} << 10;  // fits every card from Ampere on, twice on the largest
constexpr std::size_t kReservedBytes = 1024;               // the system's own, for each block

__device__ float sumOfWarp(float value) {
    for (int distance = kWarp / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
    return value;
}

/// shared: a float for each warp of the block.
__device__ float sumOfBlock(float value, float* shared) {
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    value = sumOfWarp(value);
    if (lane == 0) shared[threadIdx.x / kWarp] = value;
    __syncthreads();
    value = sumOfWarp(lane < static_cast<int>(blockDim.x) / kWarp ? shared[lane] : 0.0f);
    __syncthreads();
    return value;
}

/// The packed values that a thread looks after: the columns first, first + rowThreads ... of every step-th pixel. It
/// reads, holds and writes the same ones throughout, and knows a column's channels before it goes over the pixels.
struct Share {
    int firstColumn, columns, rowThreads;
    int firstPixel, pixels, step;
};
__device__ Share shareOf(int columns, int pixels, int rowThreads) {
    const int thread = static_cast<int>(threadIdx.x), row = thread / rowThreads;
    const int step = static_cast<int>(blockDim.x) / rowThreads;
    // Threads behind the last whole row only help to add up.
    return {thread % rowThreads, columns, rowThreads, row, row < step ? pixels : 0, step};
}

/// What is added to the channels from `channel` on.
template <typename T, int kWidth>
__device__ void readAdded(const NormCall& call, int channel, float (&added)[kWidth]) {
#pragma unroll
    for (int i = 0; i < kWidth; ++i) added[i] = addedAt<T>(call, channel + i);
}

/// Reads the thread's values of a column, whose first value of the first pixel is `from`, into `held`; gives their sum.
template <typename Values, int kWidth>
__device__ float holdColumn(const Values* from, int pitch, const Share& own, const float (&added)[kWidth],
                            Values* held) {
    constexpr int kBatch = sizeof(Values) >= 16 ? 4 : 8;  // loads on their way at once
    float sum = 0.0f;
    for (int first = own.firstPixel; first < own.pixels; first += kBatch * own.step) {
        Values batch[kBatch];
#pragma unroll
        for (int i = 0; i < kBatch; ++i)
            if (first + i * own.step < own.pixels) batch[i] = from[(first + i * own.step) * pitch];
#pragma unroll
        for (int i = 0; i < kBatch; ++i) {
            const int pixel = first + i * own.step;
            if (pixel >= own.pixels) break;
            held[pixel * own.columns] = batch[i];
#pragma unroll
            for (int channel = 0; channel < kWidth; ++channel)
                sum += toFloat(batch[i].values[channel]) + added[channel];
        }
    }
    return sum;
}

/// blockIdx.x: the group, blockIdx.y: the sample. rowThreads: that share a pixel.
template <typename T, int kWidth, Activation kind>
__global__ void __launch_bounds__(kMostThreads, 1) normaliseGroup(NormCall call, int rowThreads) {
    using Values = Packed<T, kWidth>;
    constexpr int kTurns = kWidth >= 8 ? 2 : 4;  // at once, as far as the registers go
    extern __shared__ __align__(16) unsigned char block[];
    __shared__ float partial[kMostThreads / kWarp];
    auto* held = reinterpret_cast<Values*>(block);
    const int width = call.groupChannels(), columns = width / kWidth;
    const int firstChannel = static_cast<int>(blockIdx.x) * width;
    const std::int64_t first = std::int64_t{blockIdx.y} * call.pixels * call.channels + firstChannel;
    const int pitch = call.channels / kWidth;  // samples whose groups fit a block are small enough for an int
    const auto* from = reinterpret_cast<const Values*>(static_cast<const T*>(call.x) + first);
    auto* to = reinterpret_cast<Values*>(static_cast<T*>(call.y) + first);
    const Share own = shareOf(columns, static_cast<int>(call.pixels), rowThreads);

    float sum = 0.0f;
    for (int column = own.firstColumn; column < columns; column += rowThreads) {
        float added[kWidth];
        readAdded<T>(call, firstChannel + column * kWidth, added);
        sum += holdColumn(from + column, pitch, own, added, held + column);
    }
    const float count = static_cast<float>(call.pixels) * static_cast<float>(width);
    const float mean = sumOfBlock(sum, partial) / count;

    float squares = 0.0f;
    for (int column = own.firstColumn; column < columns; column += rowThreads) {
        float added[kWidth];
        readAdded<T>(call, firstChannel + column * kWidth, added);
#pragma unroll kTurns
        for (int pixel = own.firstPixel; pixel < own.pixels; pixel += own.step) {
            const Values values = held[pixel * columns + column];
#pragma unroll
            for (int i = 0; i < kWidth; ++i) {
                const float distance = toFloat(values.values[i]) + added[i] - mean;
                squares += distance * distance;
            }
        }
    }
    const float inverse = rsqrtf(sumOfBlock(squares, partial) / count + call.epsilon);

    for (int column = own.firstColumn; column < columns; column += rowThreads) {
        const int channel = firstChannel + column * kWidth;
        float added[kWidth], scales[kWidth], offsets[kWidth];
        readAdded<T>(call, channel, added);
        readFloats(call.gamma + channel, scales);
        readFloats(call.beta + channel, offsets);
#pragma unroll kTurns
        for (int pixel = own.firstPixel; pixel < own.pixels; pixel += own.step) {
            Values values = held[pixel * columns + column];
#pragma unroll
            for (int i = 0; i < kWidth; ++i) {
                const float normed = (toFloat(values.values[i]) + added[i] - mean) * inverse;
                values.values[i] = fromFloat<T>(activate<kind>(normed * scales[i] + offsets[i]));
            }
            to[pixel * pitch + column] = values;
        }
    }
}

/// Whole warps, so many that each thread has something to do. More of them where a block has a processor to itself.
int threadsFor(std::int64_t items, std::int64_t blocks, int multiprocessors) {
    const std::int64_t most = blocks <= multiprocessors ? kMostThreads : kMostThreads / 2;
    const std::int64_t wanted = (items / kThreadItems + kWarp - 1) / kWarp * kWarp;
    return static_cast<int>(std::clamp<std::int64_t>(wanted, kLeastThreads, most));
}

template <typename T, int kWidth>
Status launch(const NormCall& call, const WholeGroups& groups, cudaStream_t stream) {
    const int width = call.groupChannels(), columns = width / kWidth;
    const std::size_t shared = static_cast<std::size_t>(call.pixels * width) * sizeof(T);
    const int threads = threadsFor(call.pixels * columns, call.groups * groups.batch, groups.multiprocessors);
    const int turns = (columns + threads - 1) / threads;
    const int rowThreads = (columns + turns - 1) / turns;
    return withActivation(groups.activation, [&](auto kind) -> Status {
        const auto kernel = normaliseGroup<T, kWidth, decltype(kind)::value>;
        RB_TRY(cudaStatus(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kMostBytes)),
            "preparing a group norm"));
        const dim3 blocks(static_cast<unsigned>(call.groups), static_cast<unsigned>(groups.batch));
        kernel<<<blocks, static_cast<unsigned>(threads), shared, stream>>>(call, rowThreads);
        return launchStatus("a group norm");
    });
}

}  // namespace

bool groupFitsABlock(std::int64_t values, DType type, const cudaDeviceProp& device) {
    const std::size_t bytes = static_cast<std::size_t>(values) * sizeOf(type);
    return bytes <= kMostBytes && bytes + kReservedBytes <= device.sharedMemPerBlockOptin;
}

Status normaliseWholeGroups(const NormCall& call, const WholeGroups& groups, cudaStream_t stream) {
    return withElement(groups.type, [&](auto element) {
        using T = decltype(element);
        const int width = call.groupChannels();
        // As wide as a group's channels allow: its first one is a multiple of them too.
        if constexpr (sizeof(T) == 2)
            if (width % 8 == 0) return launch<T, 8>(call, groups, stream);
        if (width % 4 == 0) return launch<T, 4>(call, groups, stream);
        if (width % 2 == 0) return launch<T, 2>(call, groups, stream);
        return launch<T, 1>(call, groups, stream);
    });
}

}  // namespace reelbrush::kernels
