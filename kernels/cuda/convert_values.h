#pragma once

#include "kernels/tensor/dtype.h"
#include "kernels/tensor/status.h"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace reelbrush::kernels {

/// Queues the conversion of `count` elements between f32 and F16, BF16 or F32. Both addresses are of device memory or
/// of host memory that the device reaches.
Status convertFromFloat(const float* from, std::int64_t count, DType type, void* to, cudaStream_t stream);
Status convertToFloat(const void* from, DType type, std::int64_t count, float* to, cudaStream_t stream);

}  // namespace reelbrush::kernels
