#pragma once

#include "kernels/cpu/conv2d_problem.h"

#include <memory>

namespace reelbrush::kernels {

/// True for what the fast transform can compute: 3x3, stride 1, no activation but ReLU.
bool winogradFits(const Conv2d& op);

/// Convolution in the domain of Winograd's transform (Lavin and Gray 2016), f32: less than half of the products, at
/// the price of a transform and of reordering into oneDNN's blocked layout and back.
/// Errors: Unsupported where the processor lacks AVX-512 or the transform would need too much scratch.
Result<std::unique_ptr<Step>> makeWinogradConv2dStep(Conv2dProblem problem, const WeightProvider& weights);

}  // namespace reelbrush::kernels
