#pragma once

#include "engine/diffusion/networks/module_scope.h"

namespace reelbrush::diffusion {

/// Shape of one attention.
struct AttentionShape {
    int channels = 320;  ///< of the queries' tokens, and of the result
    int heads = 8;
    bool outBias = true;
};

/// diffusers' Attention module: to_q from x, to_k and to_v from context, to_out.0. x [N,T,C], context [N,Tc,*].
kernels::Value attention(const ModuleScope& scope, kernels::Value x, kernels::Value context,
                         const AttentionShape& shape);

/// Spatial transformer (Rombach et al. 2022): group norm, projection in, `layers` blocks of self-attention,
/// cross-attention to the context and GEGLU feed-forward, projection out, plus the input.
/// image [n,H,W,C]; context [N,Tc,*]. Where n is 1 and N larger, the image is repeated just before the first
/// cross-attention: up to there all members of the batch (the two halves of guidance) are the same.
kernels::Value spatialTransformer(const ModuleScope& scope, kernels::Value image, kernels::Value context, int heads,
                                  int layers, int normGroups);

}  // namespace reelbrush::diffusion
