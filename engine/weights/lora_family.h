#pragma once

#include "engine/weights/safetensors_header.h"

#include <cstdint>
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
    LoKr,
    LoHa,
    Dora,
    Ia3,
    Oft,
    Glora,
};

/// What a tensor is in the update of its layer.
enum class LoraPart : std::uint8_t {
    None,
    Down,             ///< lora_A; [rank, in] or [rank, in, kh, kw]
    Up,               ///< lora_B; [out, rank] or [out, rank, 1, 1]
    Mid,              ///< [rank, rank, kh, kw] between up and a pointwise down
    UpBias,           ///< [out], scaled like up @ down
    Alpha,            ///< one number
    Magnitude,        ///< DoRA's dora_scale [1, in], [out, 1] (and more 1s); or see OutputMagnitude
    OutputMagnitude,  ///< PEFT's lora_magnitude_vector, always one number per output, whatever its shape
    HadaW1A,
    HadaW1B,
    HadaW2A,
    HadaW2B,
    HadaT1,
    HadaT2,
    LokrW1,
    LokrW1A,
    LokrW1B,
    LokrW2,
    LokrW2A,
    LokrW2B,
    LokrT2,
    Difference,      ///< added to the weight as it is
    BiasDifference,  ///< added to the bias as it is
};
inline constexpr std::size_t kLoraParts = static_cast<std::size_t>(LoraPart::BiasDifference) + 1;

/// A tensor that belongs to a weight update.
struct LoraTensorName {
    LoraFamily family = LoraFamily::None;  ///< also None for an alpha, which all families have
    LoraPart part = LoraPart::None;        ///< None where this version cannot apply the tensor
    std::string_view module = {};          ///< what comes before the ending
    bool rowsAreRank = false;              ///< the tensor's first dimension is the rank of the update
};

/// Family and part None for tensors of anything else. The result points into name.
LoraTensorName parseLoraTensorName(std::string_view name);

/// The family of a whole file: of several, the one that is hardest to read (DoRA files also hold plain LoRA tensors).
/// None where no tensor belongs to a weight update.
LoraFamily loraFamilyOf(std::span<const TensorInfo> tensors);

/// False for the families that can only be named.
bool isApplied(LoraFamily family);

/// "PEFT", "LoHa (LyCORIS)" ...
const char* nameOf(LoraFamily family);

}  // namespace reelbrush::weights
