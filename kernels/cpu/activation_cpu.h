#pragma once

#include "kernels/plan/step.h"

#include <memory>

namespace reelbrush::kernels {

/// y = activation(x) over any shape (kernels/ops/activation.h), on up to `threads` threads.
Result<std::unique_ptr<Step>> makeActivationStep(const StepRequest& request, int threads);

}  // namespace reelbrush::kernels
