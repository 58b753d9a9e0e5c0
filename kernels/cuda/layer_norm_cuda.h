#pragma once

#include "kernels/cuda/cuda_context.h"
#include "kernels/plan/step.h"

namespace reelbrush::kernels {

/// kernels/ops/layer_norm.h on a CUDA device: one warp a row.
Result<std::unique_ptr<Step>> makeLayerNormStep(const StepRequest& request, const CudaContext& context);

}  // namespace reelbrush::kernels
