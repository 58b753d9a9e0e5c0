#include "kernels/cuda/cublas_types.h"

#include <fmt/format.h>

namespace reelbrush::kernels {

Status cublasStatus(cublasStatus_t status, const char* doing) {
    if (status == CUBLAS_STATUS_SUCCESS) return {};
    const bool isUnsupported = status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_ARCH_MISMATCH;
    return fail(isUnsupported ? StatusCode::Unsupported : StatusCode::Internal,
                fmt::format("{} failed: {}", doing, cublasLtGetStatusString(status)));
}

cudaDataType_t cudaTypeOf(DType type) {
    if (type == DType::F16) return CUDA_R_16F;
    return type == DType::BF16 ? CUDA_R_16BF : CUDA_R_32F;
}

}  // namespace reelbrush::kernels
