#pragma once

#include "engine/core/status.h"
#include "engine/weights/listed_weights.h"

#include <string>

namespace reelbrush::weights {

/// The name of a diffusion model that its tensors' names mark as one that is not computed: "the SDXL refiner",
/// "Stable Diffusion 3", "Flux" ...; empty for all others.
std::string unsupportedModelName(const ListedWeights& stored);

}  // namespace reelbrush::weights
