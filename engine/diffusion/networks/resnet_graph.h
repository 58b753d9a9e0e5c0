#pragma once

#include "engine/diffusion/networks/module_scope.h"

namespace reelbrush::diffusion {

/// diffusers' ResnetBlock2D: norm, SiLU, conv, plus the embedding, norm, SiLU, conv, plus the (projected) input.
/// x [N,H,W,I]; activatedEmbedding [1,E]: SiLU of the time embedding. Output [N,H,W,outChannels].
kernels::Value resnetBlock(const ModuleScope& scope, kernels::Value x, kernels::Value activatedEmbedding,
                           int outChannels, int normGroups, float normEpsilon);

}  // namespace reelbrush::diffusion
