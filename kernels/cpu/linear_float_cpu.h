#pragma once

#include "kernels/cpu/linear_problem.h"

#include <memory>

namespace reelbrush::kernels {

/// Product in f32: bias, residual and activation in the same pass.
Result<std::unique_ptr<Step>> makeFloatLinearStep(LinearProblem problem, const WeightProvider& weights);

}  // namespace reelbrush::kernels
