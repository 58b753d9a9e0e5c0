#pragma once

#include "kernels/plan/step.h"

#include <memory>

namespace reelbrush::kernels {

// The ops of kernels/ops/arrange.h that move data, on up to `threads` threads.
Result<std::unique_ptr<Step>> makeConcatChannelsStep(const StepRequest& request, int threads);
Result<std::unique_ptr<Step>> makeConcatTokensStep(const StepRequest& request, int threads);
Result<std::unique_ptr<Step>> makeRepeatBatchStep(const StepRequest& request, int threads);
Result<std::unique_ptr<Step>> makeSliceBatchStep(const StepRequest& request, int threads);
Result<std::unique_ptr<Step>> makeConcatBatchStep(const StepRequest& request, int threads);
Result<std::unique_ptr<Step>> makeSwapAxesStep(const StepRequest& request, int threads);
/// Errors: BadInput where the weight is missing or of another shape.
Result<std::unique_ptr<Step>> makeConstantStep(const StepRequest& request);

}  // namespace reelbrush::kernels
