#pragma once

#include "engine/diffusion/networks/text_encoder.h"
#include "engine/diffusion/networks/unet_config.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace reelbrush::session {

// The shapes of the published full-size models, for random weights.

diffusion::UnetConfig sd15UnetConfig();
diffusion::UnetConfig sdxlUnetConfig();
/// CLIP ViT-L/14.
std::vector<diffusion::TextEncoderConfig> sd15TextConfigs();
/// CLIP ViT-L/14 and OpenCLIP ViT-bigG/14.
std::vector<diffusion::TextEncoderConfig> sdxlTextConfigs();
/// diffusers' config.json of the autoencoder; those of SD 1.5 and SDXL differ in their scaling factor.
nlohmann::json vaeConfig(bool isXl);

}  // namespace reelbrush::session
