#pragma once

#include "engine/core/status.h"
#include "engine/weights/listed_weights.h"

#include <nlohmann/json.hpp>

namespace reelbrush::weights {

inline constexpr double kSdScalingFactor = 0.18215;
inline constexpr double kSdxlScalingFactor = 0.13025;

/// The configuration of an AutoencoderKL from its weights (diffusers names), in the form of its config.json.
/// scalingFactor: what latents are multiplied with; it cannot be seen in the weights.
/// Errors: BadInput where weights are missing or contradict each other.
Result<nlohmann::json> inferVaeConfig(const ListedWeights& vae, double scalingFactor);

/// The same for an AutoencoderTiny. Errors: as above.
Result<nlohmann::json> inferTinyVaeConfig(const ListedWeights& vae);

}  // namespace reelbrush::weights
