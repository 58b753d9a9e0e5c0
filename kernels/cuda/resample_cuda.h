#pragma once

#include "kernels/cuda/cuda_context.h"
#include "kernels/plan/step.h"

namespace reelbrush::kernels {

/// UpsampleNearest, PixelUnshuffle and PixelShuffle of kernels/ops/resample.h on a CUDA device.
Result<std::unique_ptr<Step>> makeResampleStep(const StepRequest& request, const CudaContext& context);

}  // namespace reelbrush::kernels
