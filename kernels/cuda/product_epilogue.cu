#include "kernels/cuda/activation_math.cuh"
#include "kernels/cuda/cuda_status.h"
#include "kernels/cuda/packed_values.cuh"
#include "kernels/cuda/product_epilogue.h"

#include <cstdint>
#include <limits>

namespace reelbrush::kernels {

namespace {

template <typename T, int kCount, Activation kind>
__global__ void epilogueAll(ProductEpilogue e, std::uint32_t groups) {
    using Values = Packed<T, kCount>;
    const std::uint32_t index = blockIdx.x * kThreads + threadIdx.x;
    if (index >= groups) return;
    const std::uint32_t inRow = static_cast<std::uint32_t>(e.channels) / kCount;
    const std::uint32_t row = index / inRow, channel = index % inRow * kCount;
    const std::uint64_t from = static_cast<std::uint64_t>(row) * static_cast<std::uint32_t>(e.pitch) + channel;
    Values x = *reinterpret_cast<const Values*>(static_cast<const T*>(e.x) + from);
    float sums[kCount];
#pragma unroll
    for (int i = 0; i < kCount; ++i) sums[i] = toFloat(x.values[i]);
    if (e.bias) {
        const Values bias = *reinterpret_cast<const Values*>(static_cast<const T*>(e.bias) + channel);
#pragma unroll
        for (int i = 0; i < kCount; ++i) sums[i] += toFloat(bias.values[i]);
    }
    if (e.residual) {
        const Values residual = static_cast<const Values*>(e.residual)[index];
#pragma unroll
        for (int i = 0; i < kCount; ++i) sums[i] += toFloat(residual.values[i]);
    }
#pragma unroll
    for (int i = 0; i < kCount; ++i) x.values[i] = fromFloat<T>(activate<kind>(sums[i]));
    static_cast<Values*>(e.y)[index] = x;
}

template <typename T, int kCount>
Status launch(const ProductEpilogue& epilogue, cudaStream_t stream) {
    const std::int64_t groups = epilogue.rows * epilogue.channels / kCount;
    RB_ENSURE(groups <= std::numeric_limits<std::int32_t>::max(), "an epilogue of too many values");
    const unsigned blocks = (static_cast<unsigned>(groups) + kThreads - 1) / kThreads;
    withActivation(epilogue.activation, [&](auto kind) {
        epilogueAll<T, kCount, decltype(kind)::value>
            <<<blocks, kThreads, 0, stream>>>(epilogue, static_cast<std::uint32_t>(groups));
    });
    return launchStatus("the epilogue of a product");
}

}  // namespace

Status applyEpilogue(const ProductEpilogue& epilogue, DType type, cudaStream_t stream) {
    return withElement(type, [&](auto element) {
        using T = decltype(element);
        constexpr int kWide = Vector<T>::kCount;
        if (epilogue.channels % kWide == 0 && epilogue.pitch % kWide == 0) return launch<T, kWide>(epilogue, stream);
        return launch<T, 1>(epilogue, stream);
    });
}

}  // namespace reelbrush::kernels
