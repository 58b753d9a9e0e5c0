#pragma once

#include "kernels/plan/step.h"

#include <cstddef>
#include <memory>

namespace reelbrush::kernels {

/// A run of rows to be normalised, x and y [rows, channels].
struct LayerNormRows {
    const float* x;
    float* y;
    std::size_t rows, channels;
    const float *gamma, *beta;
    float epsilon;
};

/// Layer normalisation (kernels/ops/layer_norm.h), on up to `threads` threads.
/// Errors: BadInput where gamma or beta is missing or of another shape.
Result<std::unique_ptr<Step>> makeLayerNormStep(const StepRequest& request, int threads);

}  // namespace reelbrush::kernels
