#pragma once

#include "kernels/cpu/conv2d_problem.h"

#include <memory>

namespace reelbrush::kernels {

/// Convolution with int8 weights (one scale an output channel) and activations rounded to 8 bits on the fly, one scale
/// and zero point a sample (see InputRounding); sums are exact in 32 bits, the output is f32.
/// Errors: Unsupported where the processor has no fast int8 products.
Result<std::unique_ptr<Step>> makeInt8Conv2dStep(Conv2dProblem problem, const WeightProvider& weights);

}  // namespace reelbrush::kernels
