#pragma once

#include "engine/weights/base_model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reelbrush::weights {

/// What a LoRA's metadata tell an artist. Texts are trimmed, without control characters, and at most 200 bytes long.
struct LoraDetails {
    std::string title;                      ///< modelspec.title, else ss_output_name; empty where not told
    std::string baseModel;                  ///< as baseModelFromMetadata
    std::vector<std::string> triggerWords;  ///< modelspec.trigger_phrase, split at commas
    std::vector<std::string> commonTags;    ///< of the training captions (ss_tag_frequency), most frequent first; 12
    std::optional<double> rank, alpha;      ///< ss_network_dim and ss_network_alpha: what the trainer was told
};

/// Never fails: what cannot be understood is left out.
LoraDetails loraDetails(const Metadata& metadata);

}  // namespace reelbrush::weights
