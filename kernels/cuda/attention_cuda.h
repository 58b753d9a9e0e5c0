#pragma once

#include "kernels/cuda/cuda_context.h"
#include "kernels/plan/step.h"

namespace reelbrush::kernels {

/// kernels/ops/attention.h on a CUDA device. Half-precision heads of at most 160 channels are computed by flash
/// kernels on tensor cores, wider ones by matrix products, the rest plainly in f32.
/// Errors: Unsupported for more than kMaxAttentionSegments segments.
Result<std::unique_ptr<Step>> makeAttentionStep(const StepRequest& request, const CudaContext& context);

}  // namespace reelbrush::kernels
