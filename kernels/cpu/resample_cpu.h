#pragma once

#include "kernels/plan/step.h"

#include <memory>

namespace reelbrush::kernels {

/// Nearest-neighbour resize (kernels/ops/resample.h), on up to `threads` threads.
Result<std::unique_ptr<Step>> makeUpsampleNearestStep(const StepRequest& request, int threads);

}  // namespace reelbrush::kernels
