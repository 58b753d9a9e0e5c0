#pragma once

#include "kernels/cuda/cuda_context.h"
#include "kernels/plan/step.h"

namespace reelbrush::kernels {

/// kernels/ops/conv2d.h on a CUDA device, through cuDNN's graph API: with bias, residual and activation in the same
/// kernel where an engine does that, else with an epilogue of our own, whichever is measured to be faster. What looks
/// at one pixel only is a linear. Algorithm: the engine's name, "plain A 0 + epilogue", or "direct" without cuDNN.
/// Errors: BadInput for missing or misshapen weights, OutOfMemory, Unsupported.
Result<std::unique_ptr<Step>> makeConv2dStep(const StepRequest& request, const CudaContext& context);

/// The same without cuDNN, for what it has no engine for.
Result<std::unique_ptr<Step>> makeDirectConv2dStep(const StepRequest& request, const CudaContext& context);

}  // namespace reelbrush::kernels
