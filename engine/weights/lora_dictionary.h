#pragma once

#include "engine/weights/listed_weights.h"
#include "engine/weights/lora_module.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace reelbrush::weights {

/// The parts of a model that LoRAs change, under "unet", "text_encoder" and "text_encoder_2"; their weights are named
/// as in the diffusers layout.
using ModelParts = std::map<std::string, std::shared_ptr<const ListedWeights>, std::less<>>;

/// A layer of a model.
struct LoraPlace {
    std::string part;    ///< "unet"
    std::string module;  ///< "down_blocks.1.attentions.0.proj_in"
    std::string block;   ///< as block weights call it: "IN04", "M00", "OUT11"; "BASE" in text encoders; else empty
};

/// Where the modules of LoRAs of all families belong in one model. Built from the model's own names in all spellings
/// (diffusers and LDM, old attention processors, with '.' or '_'), so that no underscore has to be guessed. A spelling
/// that two layers share belongs to neither. Immutable, thread-safe.
class LoraDictionary {
  public:
    explicit LoraDictionary(ModelParts parts);
    LoraDictionary(const LoraDictionary&) = delete;
    LoraDictionary& operator=(const LoraDictionary&) = delete;

    const ModelParts& parts() const { return parts_; }
    /// The pointer lives as long as this object; null where the model has no such layer. A module that names no
    /// component is looked for in the UNet first.
    const LoraPlace* find(const LoraModule& module) const;

  private:
    using Spellings = std::unordered_map<std::string, const LoraPlace*>;
    void addPart(const std::string& part, const ListedWeights& weights);

    ModelParts parts_;
    std::map<std::string, std::map<std::string, LoraPlace>, std::less<>> places_;  ///< part → module
    std::map<std::string, Spellings, std::less<>> spellings_;                      ///< part → all with '_'
};

}  // namespace reelbrush::weights
