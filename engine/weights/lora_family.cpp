#include "engine/weights/lora_family.h"

#include <algorithm>
#include <array>

namespace reelbrush::weights {

namespace {

/// An ending that says all.
struct Ending {
    LoraFamily family;
    LoraPart part;
    std::string_view text;
    bool rowsAreRank = false;
};

constexpr std::array kEndings = {
    Ending{LoraFamily::Dora, LoraPart::Magnitude, ".dora_scale"},
    Ending{LoraFamily::LoHa, LoraPart::HadaW1A, ".hada_w1_a"},
    Ending{LoraFamily::LoHa, LoraPart::HadaW1B, ".hada_w1_b", true},
    Ending{LoraFamily::LoHa, LoraPart::HadaW2A, ".hada_w2_a"},
    Ending{LoraFamily::LoHa, LoraPart::HadaW2B, ".hada_w2_b"},
    Ending{LoraFamily::LoHa, LoraPart::HadaT1, ".hada_t1"},
    Ending{LoraFamily::LoHa, LoraPart::HadaT2, ".hada_t2"},
    Ending{LoraFamily::LoKr, LoraPart::LokrW1, ".lokr_w1"},
    Ending{LoraFamily::LoKr, LoraPart::LokrW1A, ".lokr_w1_a"},
    Ending{LoraFamily::LoKr, LoraPart::LokrW1B, ".lokr_w1_b", true},
    Ending{LoraFamily::LoKr, LoraPart::LokrW2, ".lokr_w2"},
    Ending{LoraFamily::LoKr, LoraPart::LokrW2A, ".lokr_w2_a"},
    Ending{LoraFamily::LoKr, LoraPart::LokrW2B, ".lokr_w2_b", true},
    Ending{LoraFamily::LoKr, LoraPart::LokrT2, ".lokr_t2"},
    Ending{LoraFamily::Glora, LoraPart::None, ".a1.weight"},
    Ending{LoraFamily::Glora, LoraPart::None, ".a2.weight"},
    Ending{LoraFamily::Glora, LoraPart::None, ".b1.weight"},
    Ending{LoraFamily::Glora, LoraPart::None, ".b2.weight"},
    Ending{LoraFamily::Ia3, LoraPart::None, ".on_input"},
    Ending{LoraFamily::FullDifference, LoraPart::Difference, ".diff"},
    Ending{LoraFamily::FullDifference, LoraPart::BiasDifference, ".diff_b"},
    Ending{LoraFamily::FullDifference, LoraPart::Difference, ".w_norm"},
    Ending{LoraFamily::FullDifference, LoraPart::BiasDifference, ".b_norm"},
    Ending{LoraFamily::KohyaTucker, LoraPart::Mid, ".lora_mid.weight"},
    Ending{LoraFamily::Kohya, LoraPart::Down, ".lora_down.weight", true},
    Ending{LoraFamily::Kohya, LoraPart::Up, ".lora_up.weight"},
    Ending{LoraFamily::DiffusersProcessor, LoraPart::Down, "_lora.down.weight", true},
    Ending{LoraFamily::DiffusersProcessor, LoraPart::Up, "_lora.up.weight"},
    Ending{LoraFamily::Diffusers, LoraPart::Down, ".lora.down.weight", true},
    Ending{LoraFamily::Diffusers, LoraPart::Up, ".lora.up.weight"},
    Ending{LoraFamily::Diffusers, LoraPart::Down, ".lora_linear_layer.down.weight", true},
    Ending{LoraFamily::Diffusers, LoraPart::Up, ".lora_linear_layer.up.weight"},
    Ending{LoraFamily::None, LoraPart::Alpha, ".alpha"},
};

/// PEFT puts the adapter's name between the mark and the ending: MODULE.lora_A[.ADAPTER].weight
struct AdapterEnding {
    LoraFamily family;
    LoraPart part;
    std::string_view mark;
    std::string_view ending;
    bool rowsAreRank = false;
};

constexpr std::array kAdapterEndings = {
    AdapterEnding{LoraFamily::Peft, LoraPart::Down, ".lora_A", ".weight", true},
    AdapterEnding{LoraFamily::Peft, LoraPart::Up, ".lora_B", ".weight"},
    AdapterEnding{LoraFamily::Peft, LoraPart::UpBias, ".lora_B", ".bias"},
    AdapterEnding{LoraFamily::Dora, LoraPart::OutputMagnitude, ".lora_magnitude_vector", ".weight"},
    AdapterEnding{LoraFamily::Dora, LoraPart::OutputMagnitude, ".lora_magnitude_vector", ""},
};

/// What betrays a family in the names of tensors that are not understood.
struct Trace {
    LoraFamily family;
    std::string_view text;
};

constexpr std::array kTraces = {
    Trace{LoraFamily::Dora, ".lora_magnitude_vector"},
    Trace{LoraFamily::LoHa, ".hada_"},
    Trace{LoraFamily::LoKr, ".lokr_"},
    Trace{LoraFamily::Oft, ".oft_"},
    Trace{LoraFamily::Oft, ".boft_"},
    Trace{LoraFamily::Ia3, ".ia3_l"},
    Trace{LoraFamily::Peft, ".lora_A."},
    Trace{LoraFamily::Peft, ".lora_B."},
};

/// The module before mark and ending, with at most one name (of an adapter) between them; empty where it is not so.
std::string_view moduleBefore(std::string_view name, std::string_view mark, std::string_view ending) {
    const std::size_t at = name.rfind(mark);
    if (at == name.npos || !name.ends_with(ending)) return {};
    const std::size_t adapterAt = at + mark.size();
    if (adapterAt + ending.size() > name.size()) return {};
    const std::string_view adapter = name.substr(adapterAt, name.size() - ending.size() - adapterAt);
    const bool isAdapter = adapter.empty() || (adapter.size() > 1 && adapter[0] == '.' && adapter.rfind('.') == 0);
    return isAdapter ? name.substr(0, at) : std::string_view();
}

}  // namespace

LoraTensorName parseLoraTensorName(std::string_view name) {
    for (const Ending& ending : kEndings)
        if (name.size() > ending.text.size() && name.ends_with(ending.text))
            return {ending.family, ending.part, name.substr(0, name.size() - ending.text.size()), ending.rowsAreRank};
    for (const AdapterEnding& ending : kAdapterEndings)
        if (const auto module = moduleBefore(name, ending.mark, ending.ending); !module.empty())
            return {ending.family, ending.part, module, ending.rowsAreRank};
    for (const Trace& trace : kTraces)
        if (const std::size_t at = name.rfind(trace.text); at != name.npos && at > 0)
            return {trace.family, LoraPart::None, name.substr(0, at), false};
    return {};
}

LoraFamily loraFamilyOf(std::span<const TensorInfo> tensors) {
    LoraFamily family = LoraFamily::None;
    for (const TensorInfo& tensor : tensors) family = std::max(family, parseLoraTensorName(tensor.name).family);
    return family;
}

bool isApplied(LoraFamily family) {
    using enum LoraFamily;
    return family != None && family != Ia3 && family != Oft && family != Glora;
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
