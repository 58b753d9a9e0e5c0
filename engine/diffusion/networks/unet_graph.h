#pragma once

#include "engine/diffusion/networks/unet_config.h"
#include "kernels/plan/graph.h"

namespace reelbrush::diffusion {

/// What one UNet pass reads; all but the context have batch 1: the frame is the same for both halves of guidance.
struct UnetInputs {
    kernels::Value latents;   ///< [1,H,W,inChannels]
    kernels::Value timestep;  ///< [1]
    kernels::Value label;     ///< [1], only where config.timestepClass
    kernels::Value context;   ///< [N,T,contextChannels]
};

/// Writes the conditional UNet (Ronneberger et al. 2015; Rombach et al. 2022) under diffusers' module names.
/// H and W: any; where a level's size is odd, upsampling goes to the size of the skip connection.
/// Returns the prediction [N,H,W,outChannels].
kernels::Value buildUnet(kernels::Graph& graph, const UnetConfig& config, const UnetInputs& inputs);

}  // namespace reelbrush::diffusion
