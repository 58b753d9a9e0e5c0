#include "engine/weights/lora_key.h"

#include <array>

namespace reelbrush::weights {

namespace {

struct Prefix {
    std::string_view text;
    std::string_view component;  ///< empty: says nothing of the component
};

constexpr std::array kPrefixes = {
    Prefix{"base_model.model.", ""},
    Prefix{"unet.", "unet"},
    Prefix{"text_encoder.", "text_encoder"},
    Prefix{"text_encoder_2.", "text_encoder_2"},
    Prefix{"text_encoder_3.", "text_encoder_3"},
    Prefix{"transformer.", "transformer"},
    Prefix{"model.diffusion_model.", "unet"},
    Prefix{"diffusion_model.", "unet"},
    Prefix{"lora_unet_", "unet"},
    Prefix{"lora_te_", "text_encoder"},
    Prefix{"lora_te1_", "text_encoder"},
    Prefix{"lora_te2_", "text_encoder_2"},
    Prefix{"lora_te3_", "text_encoder_3"},
    Prefix{"lora_transformer_", "transformer"},
    Prefix{"lycoris_", ""},
};

/// The component's prefix comes once; the wrapper around it may come before or after.
bool dropPrefix(std::string_view& name, std::string& component) {
    for (const Prefix& prefix : kPrefixes) {
        if (!name.starts_with(prefix.text) || (!component.empty() && !prefix.component.empty())) continue;
        name.remove_prefix(prefix.text.size());
        if (component.empty()) component = prefix.component;
        return true;
    }
    return false;
}

}  // namespace

LoraKey parseLoraKey(std::string_view name) {
    LoraKey key;
    while (dropPrefix(name, key.component)) continue;
    key.module = name;
    return key;
}

}  // namespace reelbrush::weights
