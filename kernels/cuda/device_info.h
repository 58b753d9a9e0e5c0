#pragma once

#include "kernels/cuda_module/cuda_module.h"

namespace reelbrush::kernels {

/// Asks driver, libraries and card. Errors: as CudaContext::create.
Result<CudaDeviceInfo> describeDevice(int device);

}  // namespace reelbrush::kernels
