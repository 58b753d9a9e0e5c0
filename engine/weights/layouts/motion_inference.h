#pragma once

#include "engine/core/status.h"
#include "engine/weights/listed_weights.h"

#include <nlohmann/json.hpp>

namespace reelbrush::weights {

/// The configuration of a MotionAdapter from its weights (diffusers names), in the form of its config.json.
/// Heads cannot be seen: 8, as in every published module. Without stored positions motion_max_seq_length is 32.
/// Errors: BadInput where modules are missing.
Result<nlohmann::json> inferMotionConfig(const ListedWeights& motion);

/// Frames that the stored position embeddings reach, 0 where there are none.
int motionPositions(const ListedWeights& motion);

}  // namespace reelbrush::weights
