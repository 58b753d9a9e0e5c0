#pragma once

#include "engine/core/status.h"
#include "kernels/plan/graph.h"

#include <nlohmann/json.hpp>

namespace reelbrush::diffusion {

/// Both kinds of autoencoder as graphs from and to pictures [frames,height,width,3] in [0,1].
struct CodecGraphs {
    kernels::Graph encoder;  ///< picture → [frames,h,w,M], M at least latentChannels: the latents' means come first
    kernels::Graph decoder;  ///< latents [frames,h,w,latentChannels], unscaled → picture, not clamped
    int latentChannels = 4, reduction = 8;
    float scalingFactor = 1.0f;
};

/// config: diffusers' config.json of AutoencoderKL or AutoencoderTiny.
/// frames: that are coded at once. Errors: those of the configuration; BadInput for a size off the grid.
Result<CodecGraphs> buildCodec(const nlohmann::json& config, int width, int height, int frames = 1);

/// The same network with every layer in floating point, whatever its weights and the backend would allow.
kernels::Graph inFloat(const kernels::Graph& graph);

}  // namespace reelbrush::diffusion
