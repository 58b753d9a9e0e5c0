#pragma once

#include "engine/core/status.h"
#include "engine/weights/listed_weights.h"

#include <nlohmann/json.hpp>

namespace reelbrush::weights {

/// Which text encoder the weights come from: both have the same names by then.
enum class TextEncoderKind { ClipL, OpenClip };

/// The configuration of a CLIP text encoder from its weights (names of transformers), in the form of its config.json.
/// Heads are 64 wide, as in every published one. The activation (quick_gelu in CLIP-L, gelu in OpenCLIP) and the
/// padding token (49407; 0 in OpenCLIP) follow from the kind. Pooled embeddings are read at the first end token, 49407.
/// Errors: BadInput where weights are missing or contradict each other.
Result<nlohmann::json> inferTextEncoderConfig(const ListedWeights& textEncoder, TextEncoderKind kind);

}  // namespace reelbrush::weights
