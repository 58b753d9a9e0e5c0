#pragma once

#include "engine/core/status.h"
#include "kernels/plan/graph.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace reelbrush::diffusion {

/// Shape of a tiny autoencoder (TAESD), as diffusers' config.json of AutoencoderTiny describes it.
struct TinyAutoencoderConfig {
    int inChannels = 3, outChannels = 3, latentChannels = 4;
    std::vector<int> encoderChannels, decoderChannels;
    std::vector<int> encoderBlocks, decoderBlocks;  ///< residual blocks of each resolution
    float latentLimit = 3.0f;                       ///< of the decoder's soft clamp

    /// Errors: BadInput (field named), Unsupported (activation or upsampling other than relu and nearest).
    static Result<TinyAutoencoderConfig> fromJson(const nlohmann::json& json);
    /// Pixels of the input per latent along one side.
    int reduction() const { return 1 << (encoderBlocks.size() - 1); }
};

/// x [N,H,W,inChannels] in [0,1], H and W multiples of reduction() → latents [N,H/r,W/r,latentChannels], unscaled.
/// (diffusers' module takes [-1,1] and halves it to [0,1] first.)
kernels::Value buildTinyEncoder(kernels::Graph& graph, const TinyAutoencoderConfig& config, kernels::Value x);

/// latents → picture [N,H,W,outChannels], nominally in [0,1], not clamped.
kernels::Value buildTinyDecoder(kernels::Graph& graph, const TinyAutoencoderConfig& config, kernels::Value latents);

}  // namespace reelbrush::diffusion
