#pragma once

#include "kernels/tensor/shape.h"
#include "kernels/tensor/status.h"

#include <span>

namespace reelbrush::kernels {

/// Sinusoidal embedding of scalars (Ho et al. 2020, as in the latent diffusion models):
/// frequency_i = exp(-ln(maxPeriod) * i / (half - frequencyShift)), half = channels / 2.
/// Inputs: t [N]. Output: [N,channels], cosines first where cosineFirst, sines first otherwise.
struct TimestepEmbedding {
    int channels = 320;  ///< even
    bool cosineFirst = true;
    float frequencyShift = 0.0f;
    float maxPeriod = 10000.0f;
};

Result<Shape> outputShape(const TimestepEmbedding& op, std::span<const Shape> inputs);

}  // namespace reelbrush::kernels
