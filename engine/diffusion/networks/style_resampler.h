#pragma once

#include "engine/core/status.h"
#include "kernels/plan/graph.h"
#include "kernels/plan/weight_provider.h"

namespace reelbrush::diffusion {

/// Shape of the perceiver resampler of IP-Adapter Plus, read off its weights.
struct StyleResamplerConfig {
    int embedChannels = 192;   ///< of the image encoder's tokens
    int hiddenChannels = 192;  ///< of the queries
    int outChannels = 256;     ///< of the style tokens
    int queries = 16, depth = 2, heads = 4, headSize = 48;

    /// headSize is not visible in the weights: the caller knows it. Errors: BadInput where weights are missing or odd.
    static Result<StyleResamplerConfig> fromWeights(const kernels::WeightProvider& weights, int headSize);
};

/// Learned queries attend to the image tokens (Alayrac et al. 2022; Ye et al. 2023): [N,T,embedChannels] →
/// style tokens [N,queries,outChannels]. diffusers' IPAdapterPlusImageProjection. Floating point throughout.
kernels::Value buildStyleResampler(kernels::Graph& graph, const StyleResamplerConfig& config,
                                   kernels::Value imageTokens);

}  // namespace reelbrush::diffusion
