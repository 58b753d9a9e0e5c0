#pragma once

#include "engine/weights/layouts/name_translation.h"

#include <string_view>

namespace reelbrush::weights {

/// Prefix of the UNet in single files.
inline constexpr std::string_view kLdmUnetPrefix = "model.diffusion_model.";

/// Residual layers in each down block of a UNet or ControlNet under LDM names: its first downsampler tells.
/// 0 where there are no input blocks.
int ldmLayersPerBlock(const ListedWeights& stored, std::string_view prefix);

/// LDM names of a UNet (SD 1.5, 2.x, SDXL; any number of levels and layers) to those of diffusers'
/// UNet2DConditionModel. Names without prefix. Source: diffusers, single_file_utils.
NameTranslation ldmUnetName(std::string_view name, int layersPerBlock);

/// Diffusers' own names; unknown where they belong to no module of a UNet.
NameTranslation diffusersUnetName(std::string_view name);

}  // namespace reelbrush::weights
