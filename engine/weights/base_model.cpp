#include "engine/weights/base_model.h"

#include "engine/weights/lora_family.h"

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

bool holds(std::string_view text, std::string_view part) {
    return text.find(part) != text.npos;
}

bool isCrossKey(std::string_view module) {
    return holds(module, "attn2.to_k") || holds(module, "attn2_to_k") || holds(module, "attn2.processor.to_k");
}

/// What the first cross-attention reads, as the inner matrix of its update tells; 0 where there is none.
std::int64_t contextWidthOf(std::span<const TensorInfo> tensors) {
    std::string_view kroneckerModule;
    std::int64_t product = 1;
    for (const TensorInfo& tensor : tensors) {
        const LoraTensorName name = parseLoraTensorName(tensor.name);
        if (!isCrossKey(name.module) || tensor.shape.size() != 2) continue;
        switch (name.part) {
            case LoraPart::Down:
            case LoraPart::HadaW1B:
            case LoraPart::Difference:
                return tensor.shape[1];
            case LoraPart::LokrW1:
            case LoraPart::LokrW1B:
            case LoraPart::LokrW2:
            case LoraPart::LokrW2B:  // the width is the product of both factors'
                if (kroneckerModule.empty()) kroneckerModule = name.module;
                if (name.module != kroneckerModule) return product;
                if (__builtin_mul_overflow(product, tensor.shape[1], &product)) return 0;
                break;
            default:
                break;
        }
    }
    return kroneckerModule.empty() ? 0 : product;
}

/// Layers that only one base model has.
const char* baseOfNames(std::span<const TensorInfo> tensors) {
    struct Mark {
        std::string_view part;
        const char* base;
    };
    constexpr std::array kMarks = {
        Mark{"single_transformer_blocks", "Flux"},
        Mark{"_double_blocks_", "Flux"},
        Mark{"_single_blocks_", "Flux"},
        Mark{"double_blocks.", "Flux"},
        Mark{"joint_blocks", "SD 3"},
        // Only SDXL has attentions of more than one transformer block.
        Mark{"transformer_blocks_1_attn1", "SDXL"},
        Mark{"transformer_blocks.1.attn1", "SDXL"},
    };
    for (const TensorInfo& tensor : tensors)
        for (const Mark& mark : kMarks)
            if (holds(tensor.name, mark.part)) return mark.base;
    return "";
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
    if (const std::int64_t width = contextWidthOf(tensors); width > 0) return baseModelFromContextWidth(width);
    return baseOfNames(tensors);
}

}  // namespace reelbrush::weights
