#pragma once

#include "kernels/cuda/attention_problem.h"
#include "kernels/tensor/dtype.h"
#include "kernels/tensor/status.h"

#include <cuda_runtime_api.h>

namespace reelbrush::kernels {

/// Queues one attention on tensor cores.
using FlashLaunch = void (*)(const AttentionProblem& problem, cudaStream_t stream);

/// Heads of at most this many channels.
constexpr int kMaxFlashHead = 160;

/// The kernel for a problem, of F16 or BF16: its head size, and how many queries, keys and heads there are to spread
/// over the card. Asks for a head size that is a multiple of 8, rows that begin at multiples of 16 bytes, and a
/// positive scale. Errors: those of the CUDA runtime.
Result<FlashLaunch> chooseFlash(const AttentionProblem& problem, DType type, int multiprocessors);

}  // namespace reelbrush::kernels
