#pragma once

#include "engine/core/status.h"
#include "engine/diffusion/starter_model.h"
#include "kernels/plan/backend.h"

#include <span>
#include <vector>

namespace reelbrush::diffusion {

/// Style tokens [16*256] of one style picture: image encoder, then resampler. Compiles, runs once and frees everything
/// again, since a style is set once a render. picture: [224,224,3] RGB in [0,1].
/// Errors: BadInput (wrong number of values), those of compiling and running.
Result<std::vector<float>> encodeStyle(const StarterModel& model, std::span<const float> picture,
                                       kernels::Backend& backend);

/// The tokens that stand for "no style picture".
Result<std::vector<float>> nullStyleTokens(const StarterModel& model);

}  // namespace reelbrush::diffusion
