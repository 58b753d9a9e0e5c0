#pragma once

#include "kernels/cuda/attention_problem.h"
#include "kernels/tensor/dtype.h"
#include "kernels/tensor/status.h"

#include <cuda_runtime_api.h>

namespace reelbrush::kernels {

/// Queues attention of any type, head size, alignment and scale, computed in f32 without tensor cores.
Status plainAttention(const AttentionProblem& problem, DType type, cudaStream_t stream);

}  // namespace reelbrush::kernels
