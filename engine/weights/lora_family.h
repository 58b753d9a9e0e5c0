#pragma once

#include "engine/weights/safetensors_header.h"

#include <span>
#include <string>
#include <string_view>

namespace reelbrush::weights {

/// The ways in which weight updates are stored, told apart by the endings of their tensor names.
enum class LoraFamily {
    None,
    Peft,
    Diffusers,
    DiffusersProcessor,
    Kohya,
    KohyaTucker,
    FullDifference,
    Ia3,
    Oft,
    Glora,
    LoKr,
    LoHa,
    Dora,
};

/// A tensor that belongs to a weight update.
struct LoraTensorName {
    LoraFamily family = LoraFamily::None;
    std::string_view module;   ///< what comes before the ending
    bool rowsAreRank = false;  ///< the tensor's first dimension is the rank of the update
};

/// Family None for tensors of anything else. The result points into name.
LoraTensorName parseLoraTensorName(std::string_view name);

/// The family of a whole file: of several, the one that is hardest to read (DoRA files also hold plain LoRA tensors).
/// None where no tensor belongs to a weight update.
LoraFamily loraFamilyOf(std::span<const TensorInfo> tensors);

/// "PEFT", "LoHa (LyCORIS)" ...
const char* nameOf(LoraFamily family);

}  // namespace reelbrush::weights
