#include "engine/weights/lora_family.h"

#include <algorithm>
#include <array>

namespace reelbrush::weights {

namespace {

struct Mark {
    LoraFamily family;
    std::string_view text;
    bool endsName;  ///< the text ends the name; else it may stand anywhere
    bool rowsAreRank;
};

constexpr std::array kMarks = {
    Mark{LoraFamily::Dora, ".dora_scale", true, false},
    Mark{LoraFamily::Dora, ".lora_magnitude_vector", false, false},
    Mark{LoraFamily::LoHa, ".hada_w1_b", true, true},
    Mark{LoraFamily::LoHa, ".hada_", false, false},
    Mark{LoraFamily::LoKr, ".lokr_w2_b", true, true},
    Mark{LoraFamily::LoKr, ".lokr_", false, false},
    Mark{LoraFamily::Glora, ".a1.weight", true, false},
    Mark{LoraFamily::Glora, ".a2.weight", true, false},
    Mark{LoraFamily::Glora, ".b1.weight", true, false},
    Mark{LoraFamily::Glora, ".b2.weight", true, false},
    Mark{LoraFamily::Oft, ".oft_", false, false},
    Mark{LoraFamily::Ia3, ".ia3_l", false, false},
    Mark{LoraFamily::Ia3, ".on_input", true, false},
    Mark{LoraFamily::FullDifference, ".diff", true, false},
    Mark{LoraFamily::FullDifference, ".diff_b", true, false},
    Mark{LoraFamily::FullDifference, ".w_norm", true, false},
    Mark{LoraFamily::FullDifference, ".b_norm", true, false},
    Mark{LoraFamily::KohyaTucker, ".lora_mid.weight", true, false},
    Mark{LoraFamily::Kohya, ".lora_down.weight", true, true},
    Mark{LoraFamily::Kohya, ".lora_up.weight", true, false},
    Mark{LoraFamily::DiffusersProcessor, "_lora.down.weight", true, true},
    Mark{LoraFamily::DiffusersProcessor, "_lora.up.weight", true, false},
    Mark{LoraFamily::Diffusers, ".lora.down.weight", true, true},
    Mark{LoraFamily::Diffusers, ".lora.up.weight", true, false},
    Mark{LoraFamily::Diffusers, ".lora_linear_layer.down.weight", true, true},
    Mark{LoraFamily::Diffusers, ".lora_linear_layer.up.weight", true, false},
    Mark{LoraFamily::Peft, ".lora_A.", false, true},
    Mark{LoraFamily::Peft, ".lora_B.", false, false},
};

}  // namespace

LoraTensorName parseLoraTensorName(std::string_view name) {
    for (const Mark& mark : kMarks) {
        const std::size_t at = name.rfind(mark.text);
        if (at == name.npos || at == 0 || (mark.endsName && at + mark.text.size() != name.size())) continue;
        return {mark.family, name.substr(0, at), mark.rowsAreRank};
    }
    return {};
}

LoraFamily loraFamilyOf(std::span<const TensorInfo> tensors) {
    LoraFamily family = LoraFamily::None;
    for (const TensorInfo& tensor : tensors) family = std::max(family, parseLoraTensorName(tensor.name).family);
    return family;
}

const char* nameOf(LoraFamily family) {
    switch (family) {
        case LoraFamily::None:
            return "no LoRA";
        case LoraFamily::Peft:
            return "PEFT";
        case LoraFamily::Diffusers:
            return "diffusers (lora.down, lora.up)";
        case LoraFamily::DiffusersProcessor:
            return "diffusers attention processors";
        case LoraFamily::Kohya:
            return "kohya (lora_down, lora_up)";
        case LoraFamily::KohyaTucker:
            return "kohya with Tucker convolutions (lora_mid)";
        case LoraFamily::FullDifference:
            return "full weight differences (diff)";
        case LoraFamily::Ia3:
            return "IA3";
        case LoraFamily::Oft:
            return "OFT or BOFT";
        case LoraFamily::Glora:
            return "GLoRA";
        case LoraFamily::LoKr:
            return "LoKr (LyCORIS)";
        case LoraFamily::LoHa:
            return "LoHa (LyCORIS)";
        case LoraFamily::Dora:
            return "DoRA";
    }
    return "?";
}

}  // namespace reelbrush::weights
