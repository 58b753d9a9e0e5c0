#pragma once

#include "engine/diffusion/networks/unet_blocks.h"
#include "engine/diffusion/networks/unet_config.h"
#include "engine/diffusion/networks/unet_embedding.h"
#include "kernels/plan/graph.h"

#include <vector>

namespace reelbrush::diffusion {

/// What one UNet pass reads. What is the same for the whole batch (the frame, for both halves of guidance) may have
/// batch 1.
struct UnetInputs {
    kernels::Value latents{};  ///< [1 or N,H,W,inChannels]
    UnetConditions conditions{};
    kernels::Value context{};  ///< [N,T,contextChannels]
    /// Added to the skip connections and to the middle's output: a ControlNet's residuals, in its order (see
    /// controlShapes), middle last. Empty without ControlNets.
    std::vector<kernels::Value> controls{};
};

/// Writes the conditional UNet (Ronneberger et al. 2015; Rombach et al. 2022) under diffusers' module names.
/// H and W: any; where a level's size is odd, upsampling goes to the size of the skip connection.
/// Returns the prediction [N,H,W,outChannels].
kernels::Value buildUnet(kernels::Graph& graph, const UnetConfig& config, const UnetInputs& inputs,
                         const UnetHooks& hooks = {});

/// Shapes of the residuals that a UNet of latents [1,height,width,*] takes, the batch being `batch`: those of the skip
/// connections, outermost first, then the middle's.
std::vector<kernels::Shape> controlShapes(const UnetConfig& config, int height, int width, int batch);

}  // namespace reelbrush::diffusion
