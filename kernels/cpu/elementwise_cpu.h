#pragma once

#include "kernels/plan/step.h"

#include <memory>

namespace reelbrush::kernels {

// The ops of kernels/ops/elementwise.h, on up to `threads` threads.
Result<std::unique_ptr<Step>> makeAddStep(const StepRequest& request, int threads);
Result<std::unique_ptr<Step>> makeAddChannelsStep(const StepRequest& request, int threads);
Result<std::unique_ptr<Step>> makeAffineStep(const StepRequest& request, int threads);
Result<std::unique_ptr<Step>> makeScaleByStep(const StepRequest& request, int threads);
Result<std::unique_ptr<Step>> makeSoftClampStep(const StepRequest& request, int threads);

}  // namespace reelbrush::kernels
