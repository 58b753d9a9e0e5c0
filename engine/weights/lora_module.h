#pragma once

#include "engine/weights/lora_family.h"
#include "engine/weights/safetensors_header.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace reelbrush::weights {

/// How the update of a weight is written down.
enum class LoraForm {
    None,        ///< only the bias is changed
    LowRank,     ///< up @ down, or up @ mid @ down
    Hadamard,    ///< LoHa: (w1a @ w1b) o (w2a @ w2b)
    Kronecker,   ///< LoKr: w1 (x) w2
    Difference,  ///< given as it is
};

/// The update of one layer as a file holds it.
struct LoraModule {
    std::string key;        ///< its name in the file, the endings of its tensors taken off
    std::string component;  ///< "unet", "text_encoder", "text_encoder_2"; empty where the file does not say
    std::string module;     ///< key without the prefixes: "down_blocks.0.resnets.0.conv1", or spelled otherwise
    std::array<const TensorInfo*, kLoraParts> parts{};

    // Filled by completeLoraModule:
    LoraForm form = LoraForm::None;
    std::int64_t rank = 0;     ///< what alpha is divided by; 0 where the update has none
    std::int64_t outputs = 0;  ///< first dimension of the weight
    std::int64_t inputs = 0;   ///< product of its other dimensions; 0 for form None
    float factor = 1;          ///< alpha / rank; unitless

    const TensorInfo* part(LoraPart which) const { return parts[static_cast<std::size_t>(which)]; }
    bool changesWeight() const { return form != LoraForm::None; }
    bool changesBias() const { return part(LoraPart::UpBias) || part(LoraPart::BiasDifference); }
    const TensorInfo* magnitude() const {
        return part(LoraPart::Magnitude) ? part(LoraPart::Magnitude) : part(LoraPart::OutputMagnitude);
    }
};

/// Fills form, rank, outputs and inputs from the parts. Returns what is wrong with the parts ("has a down matrix but no
/// up matrix"), nothing where they fit together. Looks at shapes and types only.
std::optional<std::string> completeLoraModule(LoraModule& module);

}  // namespace reelbrush::weights
