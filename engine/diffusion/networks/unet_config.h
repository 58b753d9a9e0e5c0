#pragma once

#include "engine/core/status.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace reelbrush::diffusion {

/// One resolution level of a UNet.
struct UnetLevel {
    int channels = 320;
    int heads = 8;
    int transformerLayers = 1;
    bool downHasAttention = true;
    bool upHasAttention = true;  ///< of the up block with this level's channels
};

/// Shape of a conditional UNet, as diffusers' config.json of UNet2DConditionModel describes it.
struct UnetConfig {
    int inChannels = 4, outChannels = 4;
    int layersPerBlock = 2;
    int normGroups = 32;
    float normEpsilon = 1e-5f;
    int contextChannels = 768;
    std::vector<UnetLevel> levels;
    bool linearProjection = false;  ///< proj_in and proj_out are linears, not 1x1 convolutions; computed alike
    bool cosineFirst = true;
    float frequencyShift = 0.0f;
    /// SDXL: the pooled text and six numbers about the picture's size are added to the time embedding. 0: neither.
    int pooledChannels = 0;
    int additionTimeChannels = 0;  ///< of the embedding of each of the six
    bool timestepClass = false;    ///< a class label embedded like a timestep is added to the time embedding

    /// Errors: BadInput (missing or senseless field, named), Unsupported (block types not built yet, named).
    static Result<UnetConfig> fromJson(const nlohmann::json& json);
};

}  // namespace reelbrush::diffusion
