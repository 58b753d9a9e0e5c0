#pragma once

#include "kernels/plan/step.h"

#include <cstddef>
#include <memory>

namespace reelbrush::kernels {

/// A run of pixels of one sample, whose values are summed up for every channel.
struct GroupNormSums {
    const float* x;  ///< [pixels, channels]
    std::size_t pixels, channels;
    const float* shift;  ///< [channels], near the means: sums are of x - shift, so that squares do not cancel
    float* blockSums;    ///< scratch [2, channels]
    double* sums;        ///< out [2, channels]: sums, then sums of squares
};

/// A run of pixels of one sample: y = activation(x * scale + offset), each channel with its own scale and offset.
struct GroupNormPixels {
    const float* x;
    float* y;
    std::size_t pixels, channels;
    const float *scale, *offset;
    Activation activation;
};

/// Group normalisation with channel add and activation (kernels/ops/group_norm.h), on up to `threads` threads.
/// Errors: BadInput where gamma or beta is missing or of another shape.
Result<std::unique_ptr<Step>> makeGroupNormStep(const StepRequest& request, int threads);

}  // namespace reelbrush::kernels
