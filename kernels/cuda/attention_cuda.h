#pragma once

#include "kernels/cuda/cuda_context.h"
#include "kernels/plan/step.h"

#include <memory>
#include <vector>

namespace reelbrush::kernels {

/// All ways to compute one attention on this device; not empty, the first works on every card.
/// Errors: Unsupported for more than kMaxAttentionSegments segments.
Result<std::vector<std::unique_ptr<Step>>> attentionSteps(const StepRequest& request, const CudaContext& context);

/// kernels/ops/attention.h on a CUDA device. Half-precision heads of at most 160 channels are computed by flash
/// kernels on tensor cores, wider ones by matrix products, the rest plainly in f32. Where there are several kernels
/// the fastest is measured, and remembered. Errors: those of attentionSteps().
Result<std::unique_ptr<Step>> makeAttentionStep(const StepRequest& request, const CudaContext& context);

}  // namespace reelbrush::kernels
