#pragma once

#include "engine/weights/diffusion_model.h"

namespace reelbrush::weights {

/// openDiffusionModel for a safetensors file or shard index, without overrides and parts from elsewhere.
Result<DiffusionModelFiles> openSingleFileModel(const std::filesystem::path& path, Prediction prediction);

}  // namespace reelbrush::weights
