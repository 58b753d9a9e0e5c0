#pragma once

#include "kernels/cuda/cuda_context.h"
#include "kernels/plan/step.h"

namespace reelbrush::kernels {

/// The step for any op but Reshape. Errors: those of the op's own function.
Result<std::unique_ptr<Step>> makeCudaStep(const StepRequest& request, const CudaContext& context);

}  // namespace reelbrush::kernels
