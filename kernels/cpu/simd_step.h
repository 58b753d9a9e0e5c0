#pragma once

#include "kernels/plan/step.h"

#include <memory>

namespace reelbrush::kernels {

/// A step of our own vector code for any op but convolution and linear, f32, on up to `threads` threads.
/// Errors: those of the op's own maker; Unsupported for convolution and linear; Internal for Reshape, which shares
/// memory and never becomes a step.
Result<std::unique_ptr<Step>> makeSimdStep(const StepRequest& request, int threads);

}  // namespace reelbrush::kernels
