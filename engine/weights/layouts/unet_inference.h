#pragma once

#include "engine/core/status.h"
#include "engine/weights/listed_weights.h"

#include <cstdint>
#include <nlohmann/json.hpp>

namespace reelbrush::weights {

/// What the weights of a UNet or ControlNet do not say by themselves.
struct UnetInference {
    /// Width of the pooled text embedding that an SDXL UNet takes; 1280 in the published model. The size embeddings
    /// share the rest of add_embedding's input; where they cannot, addition_time_embed_dim is null.
    std::int64_t pooledWidth = 1280;
};

/// The configuration of a UNet2DConditionModel from its weights (diffusers names), in the form of its config.json:
/// levels, layers, block types, depths, widths. Heads cannot be seen: 8 with convolutional projections (SD 1.5), one
/// for each 64 channels with linear ones (SD 2.x, SDXL), as in every published model.
/// Errors: BadInput (weights missing or of shapes that contradict each other, named), Unsupported (uneven depths).
Result<nlohmann::json> inferUnetConfig(const ListedWeights& unet, const UnetInference& options = {});

/// The same for a ControlNetModel, which is the encoder half with zero convolutions.
Result<nlohmann::json> inferControlNetConfig(const ListedWeights& controlNet, const UnetInference& options = {});

}  // namespace reelbrush::weights
