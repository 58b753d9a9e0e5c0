#pragma once

#include "engine/core/status.h"
#include "kernels/plan/graph.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace reelbrush::diffusion {

/// Shape of the autoencoder of latent diffusion models, as diffusers' config.json of AutoencoderKL describes it.
struct AutoencoderKlConfig {
    int pictureChannels = 3, latentChannels = 4;
    std::vector<int> channels{128, 256, 512, 512};  ///< of each resolution, full size first
    int layersPerBlock = 2;
    int normGroups = 32;
    bool hasQuantConv = true, hasPostQuantConv = true;
    bool middleAttends = true;
    float scalingFactor = 0.18215f;  ///< latents are multiplied with it before they are diffused

    /// Errors: BadInput (field named), Unsupported (block types, latents with mean and deviation).
    static Result<AutoencoderKlConfig> fromJson(const nlohmann::json& json);
    /// Pixels per latent along one side.
    int reduction() const { return 1 << (channels.size() - 1); }
};

/// picture [N,H,W,3] in [-1,1], H and W multiples of reduction() → moments [N,H/r,W/r,2 * latentChannels]: means, then
/// logarithms of variances (not clamped). Source: Rombach et al. 2022; diffusers' module names.
kernels::Value buildKlEncoder(kernels::Graph& graph, const AutoencoderKlConfig& config, kernels::Value picture);

/// latents (unscaled) → picture [N,H,W,3], nominally in [-1,1], not clamped.
kernels::Value buildKlDecoder(kernels::Graph& graph, const AutoencoderKlConfig& config, kernels::Value latents);

}  // namespace reelbrush::diffusion
