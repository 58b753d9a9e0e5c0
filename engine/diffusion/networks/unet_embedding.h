#pragma once

#include "engine/diffusion/networks/module_scope.h"
#include "engine/diffusion/networks/unet_config.h"

namespace reelbrush::diffusion {

/// What a UNet is told beside latents and context. A Value without index is absent.
struct UnetConditions {
    kernels::Value timestep{};  ///< [1] or [N]
    kernels::Value label{};     ///< [1] or [N], only where config.timestepClass
    kernels::Value pooled{};    ///< [1 or N, pooledChannels], only where the configuration has them (SDXL)
    kernels::Value timeIds{};   ///< [1 or N, 6]: original height and width, crop top and left, target height and width
};

/// The activated embedding that every resnet block adds: [1 or N, 4 * channels of the first level].
/// root: the UNet, or a ControlNet, which has the same modules.
kernels::Value unetEmbedding(const ModuleScope& root, const UnetConfig& config, const UnetConditions& conditions);

}  // namespace reelbrush::diffusion
