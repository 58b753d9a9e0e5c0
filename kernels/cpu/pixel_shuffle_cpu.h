#pragma once

#include "kernels/plan/step.h"

#include <memory>

namespace reelbrush::kernels {

// Pixels to channels and back (kernels/ops/resample.h), on up to `threads` threads.
Result<std::unique_ptr<Step>> makePixelUnshuffleStep(const StepRequest& request, int threads);
Result<std::unique_ptr<Step>> makePixelShuffleStep(const StepRequest& request, int threads);

}  // namespace reelbrush::kernels
