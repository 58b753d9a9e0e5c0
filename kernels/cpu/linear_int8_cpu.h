#pragma once

#include "kernels/cpu/linear_problem.h"

#include <memory>

namespace reelbrush::kernels {

/// Product with int8 weights (one scale an output feature) and activations rounded to int8 on the fly, one scale a
/// row; sums are exact in 32 bits, the output is f32.
Result<std::unique_ptr<Step>> makeInt8LinearStep(LinearProblem problem, const WeightProvider& weights);

}  // namespace reelbrush::kernels
