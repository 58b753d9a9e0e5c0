#pragma once

#include "engine/weights/diffusion_model.h"

namespace reelbrush::weights {

/// openDiffusionModel for a folder in the diffusers layout, or for its unet folder alone; without overrides and parts
/// from elsewhere.
Result<DiffusionModelFiles> openFolderModel(const std::filesystem::path& path, Prediction prediction);

}  // namespace reelbrush::weights
