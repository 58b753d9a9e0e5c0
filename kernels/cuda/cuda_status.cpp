#include "kernels/cuda/cuda_status.h"

#include <fmt/format.h>

namespace reelbrush::kernels {

Status cudaStatus(cudaError_t error, const char* doing) {
    if (error == cudaSuccess) return {};
    cudaGetLastError();  // or the next launch would report it again
    const StatusCode code = error == cudaErrorMemoryAllocation ? StatusCode::OutOfMemory : StatusCode::Internal;
    return fail(code, fmt::format("{} failed: {} ({})", doing, cudaGetErrorString(error), cudaGetErrorName(error)));
}

}  // namespace reelbrush::kernels
