#pragma once

#include "kernels/tensor/status.h"

#include <cuda_runtime_api.h>

namespace reelbrush::kernels {

/// Success, or what a call of the CUDA runtime says. OutOfMemory where the card's memory is full, Internal otherwise.
/// doing: "copying weights to the GPU".
Status cudaStatus(cudaError_t error, const char* doing);

/// The error of the kernel launch just before, if any.
inline Status launchStatus(const char* doing) {
    return cudaStatus(cudaGetLastError(), doing);
}

}  // namespace reelbrush::kernels
