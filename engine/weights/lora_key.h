#pragma once

#include <string>
#include <string_view>

namespace reelbrush::weights {

/// What the beginning of a LoRA module's name says.
struct LoraKey {
    std::string component = {};  ///< "unet", "text_encoder", "text_encoder_2"...; empty where the name does not say
    std::string module = {};     ///< the rest, as spelled in the file: "down_blocks_0_resnets_0_conv1"
};

/// Takes the prefixes of all families off a module's name: `lora_unet_`, `lora_te1_`, `unet.`, `base_model.model.` ...
LoraKey parseLoraKey(std::string_view name);

}  // namespace reelbrush::weights
