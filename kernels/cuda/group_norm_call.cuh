#pragma once

#include "kernels/cuda/element_type.h"

#include <cstdint>

namespace reelbrush::kernels {

/// What the kernels of a group norm read and write.
struct NormCall {
    const void* x;
    const void* channelAdd;  ///< null: none
    const float* given;      ///< statistics from outside; null: computed
    const float *gamma, *beta;
    float* sums;         ///< [batch, parts, groups, 2]: of shifted values and of their squares
    float* statistics;   ///< [batch, groups, 2]: mean, 1 / deviation
    unsigned* finished;  ///< [batch]: parts that have their sums; 0 before and after
    void* y;
    std::int64_t pixels;  ///< of one sample
    int channels, groups, parts;
    int addStride;  ///< channels, or 0 where all samples share the vector
    float epsilon;

    __host__ __device__ int groupChannels() const { return channels / groups; }
};

#ifdef __CUDACC__
/// What is added to a channel of the block's sample, blockIdx.y.
template <typename T>
__device__ float addedAt(const NormCall& call, int channel) {
    if (!call.channelAdd) return 0.0f;
    return toFloat(static_cast<const T*>(call.channelAdd)[std::int64_t{blockIdx.y} * call.addStride + channel]);
}
#endif

}  // namespace reelbrush::kernels
