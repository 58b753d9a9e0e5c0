#pragma once

#include "kernels/cuda/cuda_status.h"
#include "kernels/ops/activation.h"
#include "kernels/tensor/dtype.h"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace reelbrush::kernels {

struct NormCall;

/// Whether a group of a sample, of so many values, can lie in a block's shared memory.
bool groupFitsABlock(std::int64_t values, DType type, const cudaDeviceProp& device);

/// What is launched beside the call: a block for each group of each sample.
struct WholeGroups {
    DType type = DType::F16;
    Activation activation = Activation::None;
    std::int64_t batch = 1;
    int multiprocessors = 1;  ///< of the card
};

/// Group norm in one launch: each block reads a group once, and computes its statistics in two passes over what it
/// holds. For groups that fit; the call's sums, statistics and counters are not used.
Status normaliseWholeGroups(const NormCall& call, const WholeGroups& groups, cudaStream_t stream);

}  // namespace reelbrush::kernels
