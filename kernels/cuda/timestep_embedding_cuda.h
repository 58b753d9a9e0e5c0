#pragma once

#include "kernels/cuda/cuda_context.h"
#include "kernels/plan/step.h"

namespace reelbrush::kernels {

/// kernels/ops/timestep_embedding.h on a CUDA device: t is f32.
Result<std::unique_ptr<Step>> makeTimestepEmbeddingStep(const StepRequest& request, const CudaContext& context);

}  // namespace reelbrush::kernels
