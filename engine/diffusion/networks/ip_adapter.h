#pragma once

#include "engine/core/status.h"
#include "engine/diffusion/networks/style_resampler.h"
#include "engine/diffusion/networks/unet_blocks.h"
#include "kernels/plan/graph.h"
#include "kernels/plan/weight_provider.h"

#include <string>
#include <vector>

namespace reelbrush::diffusion {

/// Shape of an IP-Adapter's projection of a picture to tokens, read off its weights (names of diffusers' modules).
struct ImageProjectionConfig {
    enum class Kind {
        Embedding,  ///< base: the picture's embedding gives all tokens
        Resampler,  ///< Plus: learned queries look at the image encoder's tokens
        EachToken   ///< full face: one token for each of the image encoder's
    };
    Kind kind = Kind::Embedding;
    int embedChannels = 1024;   ///< of what the image encoder gives
    int tokens = 4;             ///< of the result; 0 for EachToken: as many as go in
    int contextChannels = 768;  ///< of the result: those of the UNet's text
    StyleResamplerConfig resampler{};

    /// contextChannels: of the tokens, which tells base's number of them. Errors: BadInput for odd shapes.
    static Result<ImageProjectionConfig> fromWeights(const kernels::WeightProvider& weights, int contextChannels);
};

/// embeds [1,T,embedChannels] (T is 1 for Embedding) → tokens [1,tokens,contextChannels].
kernels::Value buildImageProjection(kernels::Graph& graph, const ImageProjectionConfig& config, kernels::Value embeds);

/// The UNet's cross-attentions in the order in which IP-Adapters number them (1, 3, 5 ...): down, up, middle.
/// "down_blocks.0.attentions.0.transformer_blocks.0.attn2" ...
std::vector<std::string> numberedCrossAttentions(const UnetConfig& config);

/// Adds an IP-Adapter (Ye et al. 2023) to a UNet: each cross-attention also looks at the picture's tokens, through keys
/// and values of its own. tokens [N,T,contextChannels], scale [1].
/// styleOnly: just the attentions that carry style rather than content (InstantStyle, Wang et al. 2024).
UnetHooks withIpAdapter(UnetHooks hooks, kernels::Graph& graph, const UnetConfig& config, kernels::Value tokens,
                        kernels::Value scale, bool styleOnly);

}  // namespace reelbrush::diffusion
