#pragma once

#include "kernels/cpu/conv2d_problem.h"

#include <memory>

namespace reelbrush::kernels {

/// Direct convolution in f32: bias, residual and activation in the same pass.
Result<std::unique_ptr<Step>> makeDirectConv2dStep(Conv2dProblem problem, const WeightProvider& weights);

}  // namespace reelbrush::kernels
