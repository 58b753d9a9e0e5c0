#pragma once

#include "engine/diffusion/painting_setup.h"
#include "engine/weights/lora_merge.h"

#include <set>
#include <string>
#include <vector>

namespace reelbrush::diffusion {

/// LoRAs merged into a model, and what to tell about them.
struct MergedLoras {
    weights::LoraMergedModel model;
    std::vector<std::string> reports;  ///< "ink.safetensors: 78 of 78 modules applied" for each LoRA, in order

    /// Null where the model has no such part.
    std::shared_ptr<const weights::LoraMergedWeights> part(std::string_view name) const;
    /// The weights of a part that differ from the pristine ones.
    std::set<std::string, std::less<>> touched(std::string_view part) const;
};

/// Without choices every part passes through as it is stored.
/// Errors: as weights::LoraFile::open, LoraBlockWeights::parse and weights::mergeLoras.
Result<MergedLoras> mergeLoras(const std::vector<LoraChoice>& choices, const weights::LoraTarget& target);

}  // namespace reelbrush::diffusion
