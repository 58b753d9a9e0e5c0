#pragma once

#include "engine/diffusion/networks/unet_config.h"
#include "engine/diffusion/networks/unet_embedding.h"
#include "kernels/plan/graph.h"

#include <vector>

namespace reelbrush::diffusion {

/// Shape of a ControlNet (Zhang et al. 2023), as diffusers' config.json of ControlNetModel describes it.
struct ControlNetConfig {
    UnetConfig unet{};                                    ///< the half of a UNet that it is a copy of
    int pictureChannels = 3;                              ///< of the control picture
    std::vector<int> embeddingChannels{16, 32, 96, 256};  ///< of the layers that bring the picture to latent size

    /// Errors: as UnetConfig::fromJson.
    static Result<ControlNetConfig> fromJson(const nlohmann::json& json);
    /// Pixels of the control picture per latent along one side.
    int reduction() const { return 1 << (embeddingChannels.size() - 1); }
};

/// What one pass reads.
struct ControlNetInputs {
    kernels::Value latents{};  ///< [1 or N,H,W,inChannels]
    kernels::Value picture{};  ///< control picture [1,H*8,W*8,pictureChannels] in [0,1]
    UnetConditions conditions{};
    kernels::Value context{};  ///< [N,T,contextChannels]
};

/// Writes a ControlNet under diffusers' module names. Returns the residuals in the order of controlShapes, unscaled;
/// each has batch 1 or N.
std::vector<kernels::Value> buildControlNet(kernels::Graph& graph, const ControlNetConfig& config,
                                            const ControlNetInputs& inputs);

}  // namespace reelbrush::diffusion
