#pragma once

#include "kernels/cuda/cuda_context.h"
#include "kernels/plan/step.h"

namespace reelbrush::kernels {

/// kernels/ops/group_norm.h on a CUDA device: sums of parts of the image, then one pass that normalises.
Result<std::unique_ptr<Step>> makeGroupNormStep(const StepRequest& request, const CudaContext& context);

}  // namespace reelbrush::kernels
