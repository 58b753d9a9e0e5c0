#pragma once

#include "engine/diffusion/networks/module_scope.h"

#include <functional>

namespace reelbrush::diffusion {

/// Shape of one attention.
struct AttentionShape {
    int channels = 320;  ///< of the queries' tokens, and of the result
    int heads = 8;
    bool outBias = true;

    int headSize() const { return channels / heads; }
};

/// What additions to a model change in its attentions; empty members change nothing. scope: the attention module.
struct AttentionHooks {
    /// In place of softmax(q k^T) v: what goes into to_out.
    using Mix = std::function<kernels::Value(const ModuleScope& scope, kernels::Value q, kernels::Value k,
                                             kernels::Value v, const AttentionShape& shape)>;
    /// Returns what goes into to_out, from the attention to the text.
    using Add = std::function<kernels::Value(const ModuleScope& scope, kernels::Value q, kernels::Value attended,
                                             const AttentionShape& shape)>;
    Mix self{};   ///< of the image's tokens to themselves (attn1)
    Add cross{};  ///< of the image's tokens to the text (attn2)
};

/// softmax(q k^T / sqrt(headSize)) v
kernels::Value plainAttention(const ModuleScope& scope, kernels::Value q, kernels::Value k, kernels::Value v,
                              const AttentionShape& shape);

/// diffusers' Attention module: to_q from x, to_k and to_v from context, to_out.0. x [N,T,C], context [N,Tc,*].
kernels::Value attention(const ModuleScope& scope, kernels::Value x, kernels::Value context,
                         const AttentionShape& shape);

/// One spatial transformer.
struct SpatialTransformer {
    int heads = 8;
    int layers = 1;
    int normGroups = 32;
    AttentionHooks hooks{};
};

/// Spatial transformer (Rombach et al. 2022): group norm, projection in, `layers` blocks of self-attention,
/// cross-attention to the context and GEGLU feed-forward, projection out, plus the input.
/// image [n,H,W,C]; context [N,Tc,*]. Where n is 1 and N larger, the image is repeated just before the first
/// cross-attention: up to there all members of the batch (the two halves of guidance) are the same.
kernels::Value spatialTransformer(const ModuleScope& scope, kernels::Value image, kernels::Value context,
                                  const SpatialTransformer& transformer);

/// GEGLU feed-forward (Shazeer 2020), diffusers' FeedForward: x [N,T,C] → [N,T,C].
kernels::Value gatedFeedForward(const ModuleScope& scope, kernels::Value x, int channels);

}  // namespace reelbrush::diffusion
