#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::diffusion {

/// A LoRA that a prompt asks for: "<lora:name>", "<lora:name:strength>" or "<lora:name:text strength:strength>";
/// strengths may also be named, as in "<lora:name:te=0.5:unet=1>". "lyco" stands for "lora".
struct LoraTag {
    std::string name;           ///< as written, without the file's ending
    double strength = 1.0;      ///< for the UNet
    double textStrength = 1.0;  ///< for the text encoders
};

/// A prompt without its tags.
struct TaggedPrompt {
    std::string text;
    std::vector<LoraTag> loras;      ///< in the order of the prompt
    std::vector<std::string> notes;  ///< a sentence for each tag that could not be understood and was left out
};

/// Takes AUTOMATIC1111's tags of extra networks, "<word:arguments>", out of a prompt. Other angle brackets stay.
TaggedPrompt takeLoraTags(std::string_view prompt);

}  // namespace reelbrush::diffusion
