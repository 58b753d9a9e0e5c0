#pragma once

#include "kernels/cuda/cuda_context.h"
#include "kernels/plan/step.h"

namespace reelbrush::kernels {

/// kernels/ops/activation.h on a CUDA device.
Result<std::unique_ptr<Step>> makeActivationStep(const StepRequest& request, const CudaContext& context);

}  // namespace reelbrush::kernels
