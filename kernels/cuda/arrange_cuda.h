#pragma once

#include "kernels/cuda/cuda_context.h"
#include "kernels/plan/step.h"

namespace reelbrush::kernels {

/// ConcatChannels, ConcatTokens, ConcatBatch, RepeatBatch and SliceBatch of kernels/ops/arrange.h on a CUDA device: all
/// of them lay rows of their inputs side by side.
Result<std::unique_ptr<Step>> makeJoinStep(const StepRequest& request, const CudaContext& context);
Result<std::unique_ptr<Step>> makeSwapAxesStep(const StepRequest& request, const CudaContext& context);
/// A weight in the values' type, copied to its place in each run.
Result<std::unique_ptr<Step>> makeConstantStep(const StepRequest& request, const CudaContext& context);

}  // namespace reelbrush::kernels
