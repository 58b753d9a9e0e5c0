#pragma once

#include "kernels/cuda/cuda_context.h"
#include "kernels/plan/step.h"

namespace reelbrush::kernels {

/// Add, AddChannels, Affine, ScaleBy and SoftClamp of kernels/ops/elementwise.h on a CUDA device.
Result<std::unique_ptr<Step>> makeElementwiseStep(const StepRequest& request, const CudaContext& context);

}  // namespace reelbrush::kernels
