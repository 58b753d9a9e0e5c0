#pragma once

#include "engine/core/status.h"
#include "engine/weights/listed_weights.h"

#include <nlohmann/json.hpp>

namespace reelbrush::weights {

/// The configuration of a CLIP image encoder from its weights (names of layouts/ip_adapter_names.h), in the form of the
/// config.json of CLIPVisionModelWithProjection. Heads and activation cannot be seen; they are those of the published
/// encoders of that width: OpenCLIP ViT-H (1280) and bigG (1664) have 16 heads and gelu, OpenAI's (768, 1024) heads of
/// 64 and quick_gelu. Errors: BadInput where weights are missing or contradict each other.
Result<nlohmann::json> inferVisionEncoderConfig(const ListedWeights& imageEncoder);

}  // namespace reelbrush::weights
