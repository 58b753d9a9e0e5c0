#pragma once

#include "kernels/plan/step.h"

#include <memory>

namespace reelbrush::kernels {

/// The sinusoidal embedding of kernels/ops/timestep_embedding.h; some hundred values, so on one thread.
Result<std::unique_ptr<Step>> makeTimestepEmbeddingStep(const StepRequest& request);

}  // namespace reelbrush::kernels
