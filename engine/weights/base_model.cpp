#include "engine/weights/base_model.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace reelbrush::weights {

namespace {

struct KnownSpelling {
    std::string_view part;
    const char* name;
};

// The first whose part occurs wins, so the more special come first. Spellings of the Stability AI model specification
// (modelspec.architecture) and of kohya's trainer (ss_base_model_version).
constexpr std::array kSpellings = {
    KnownSpelling{"reelbrush-starter-1", kStarterModelName},
    KnownSpelling{"stable-diffusion-xl-v1-refiner", "SDXL refiner"},
    KnownSpelling{"stable-diffusion-xl", "SDXL"},
    KnownSpelling{"sdxl", "SDXL"},
    KnownSpelling{"stable-diffusion-v1", "SD 1.5"},
    KnownSpelling{"sd_v1", "SD 1.5"},
    KnownSpelling{"stable-diffusion-v2", "SD 2.x"},
    KnownSpelling{"sd_v2", "SD 2.x"},
    KnownSpelling{"stable-diffusion-3", "SD 3"},
    KnownSpelling{"sd3", "SD 3"},
    KnownSpelling{"flux", "Flux"},
};

std::string printable(std::string_view text) {
    std::string out(text.substr(0, 60));
    std::ranges::replace_if(
        out, [](unsigned char c) { return c < 0x20 || c >= 0x7f; }, '?');
    return out;
}

std::string nameFor(std::string_view spelling) {
    std::string lower(spelling);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const KnownSpelling& known : kSpellings)
        if (lower.find(known.part) != lower.npos) return known.name;
    return printable(spelling);
}

/// Last dimension of a down matrix [rank, width] on the keys or values of a cross-attention; 0 for other tensors.
std::int64_t contextWidthOf(const TensorInfo& tensor) {
    const std::string_view name = tensor.name;
    const bool isCrossKey = name.find("attn2.to_k") != name.npos || name.find("attn2_to_k") != name.npos ||
                            name.find("attn2.processor.to_k") != name.npos;
    const bool isDown =
        name.find("lora_A") != name.npos || name.find("down.weight") != name.npos || name.ends_with("hada_w1_b");
    return isCrossKey && isDown && tensor.shape.size() == 2 ? tensor.shape[1] : 0;
}

}  // namespace

std::string baseModelFromMetadata(const Metadata& metadata) {
    for (const char* key : {"modelspec.architecture", "ss_base_model_version"}) {
        const auto found = metadata.find(key);
        if (found != metadata.end() && !found->second.empty()) return nameFor(found->second);
    }
    return {};
}

std::string baseModelFromContextWidth(std::int64_t width) {
    switch (width) {
        case 256:
            return kStarterModelName;
        case 768:
            return "SD 1.5";
        case 1024:
            return "SD 2.x";
        case 1280:
            return "SDXL refiner";
        case 2048:
            return "SDXL";
        default:
            return {};
    }
}

std::string baseModelOfLora(const Metadata& metadata, std::span<const TensorInfo> tensors) {
    std::string named = baseModelFromMetadata(metadata);
    if (!named.empty()) return named;
    for (const TensorInfo& tensor : tensors)
        if (tensor.name.starts_with("lora_te2_") || tensor.name.starts_with("text_encoder_2.")) return "SDXL";
    for (const TensorInfo& tensor : tensors)
        if (const std::int64_t width = contextWidthOf(tensor); width > 0) return baseModelFromContextWidth(width);
    for (const TensorInfo& tensor : tensors)
        if (tensor.name.find("single_transformer_blocks.") != tensor.name.npos) return "Flux";
    return {};
}

}  // namespace reelbrush::weights
