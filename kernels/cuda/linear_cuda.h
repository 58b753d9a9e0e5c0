#pragma once

#include "kernels/cuda/cuda_context.h"
#include "kernels/plan/step.h"

namespace reelbrush::kernels {

/// kernels/ops/linear.h on a CUDA device, through cuBLASLt; also of a Conv2d that looks at one pixel only, which is the
/// same over pixels. The fastest of the algorithms that the library proposes is measured, and remembered.
/// Errors: BadInput for missing or misshapen weights, OutOfMemory, Unsupported.
Result<std::unique_ptr<Step>> makeLinearStep(const StepRequest& request, const CudaContext& context);

}  // namespace reelbrush::kernels
