#pragma once

#include "kernels/plan/step.h"

#include <memory>

namespace reelbrush::kernels {

/// The gated GELU of kernels/ops/geglu.h, on up to `threads` threads.
Result<std::unique_ptr<Step>> makeGegluStep(const StepRequest& request, int threads);

}  // namespace reelbrush::kernels
