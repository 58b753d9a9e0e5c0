#pragma once

#include "kernels/cuda/cuda_context.h"
#include "kernels/plan/step.h"

namespace reelbrush::kernels {

/// kernels/ops/geglu.h on a CUDA device: exact GELU.
Result<std::unique_ptr<Step>> makeGegluStep(const StepRequest& request, const CudaContext& context);

}  // namespace reelbrush::kernels
