#pragma once

#include "kernels/tensor/dtype.h"
#include "kernels/tensor/status.h"

#include <cublasLt.h>

namespace reelbrush::kernels {

/// Success, or what a call of cuBLASLt says: Unsupported where it has no such product on this card, else Internal.
Status cublasStatus(cublasStatus_t status, const char* doing);

/// Of F16, BF16 or F32.
cudaDataType_t cudaTypeOf(DType type);

}  // namespace reelbrush::kernels
