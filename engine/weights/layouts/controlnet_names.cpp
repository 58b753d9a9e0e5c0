#include "engine/weights/layouts/controlnet_names.h"

#include "engine/weights/layouts/dotted_name.h"
#include "engine/weights/layouts/unet_names.h"

#include <fmt/format.h>

#include <optional>
#include <string>

namespace reelbrush::weights {

namespace {

constexpr std::string_view kLdmPrefix = "control_model.";
constexpr int kHintLayers = 15;

/// The hint's encoder counts its activations: convolutions have the even numbers 0 to 14.
std::optional<std::string> hintName(DottedName name) {
    const auto index = name.takeIndex();
    if (!index || *index % 2 != 0 || *index >= kHintLayers) return std::nullopt;
    const int layer = *index / 2;
    if (layer == 0) return fmt::format("controlnet_cond_embedding.conv_in.{}", name.rest());
    if (layer == kHintLayers / 2) return fmt::format("controlnet_cond_embedding.conv_out.{}", name.rest());
    return fmt::format("controlnet_cond_embedding.blocks.{}.{}", layer - 1, name.rest());
}

NameTranslation ldmName(std::string_view stored, int layersPerBlock) {
    DottedName name(stored);
    if (name.take("input_hint_block.")) return NameTranslation::as(hintName(name));
    if (name.take("middle_block_out.0."))
        return NameTranslation::as(fmt::format("controlnet_mid_block.{}", name.rest()));
    if (name.take("zero_convs.")) {
        const auto index = name.takeIndex();
        if (!index || !name.take("0.")) return NameTranslation::unknown();
        return NameTranslation::as(fmt::format("controlnet_down_blocks.{}.{}", *index, name.rest()));
    }
    return ldmUnetName(stored, layersPerBlock);
}

NameTranslation diffusersName(std::string_view stored) {
    for (const char* start : {"conv_in.", "time_embedding.", "add_embedding.", "down_blocks.", "mid_block.",
                              "controlnet_cond_embedding.", "controlnet_down_blocks.", "controlnet_mid_block."})
        if (stored.starts_with(start)) return NameTranslation::as(std::string(stored));
    return NameTranslation::unknown();
}

}  // namespace

TranslatedNames controlNetNames(const ListedWeights& stored) {
    if (hasPrefix(stored, "controlnet_cond_embedding.")) return translateNames(stored, "", diffusersName);
    const std::string_view prefix = hasPrefix(stored, kLdmPrefix) ? kLdmPrefix : std::string_view();
    if (!hasPrefix(stored, std::string(prefix) + "input_hint_block.")) return {};
    const int layers = ldmLayersPerBlock(stored, prefix);
    return translateNames(stored, prefix, [layers](std::string_view name) { return ldmName(name, layers); });
}

const char* controlNetRelative(const ListedWeights& stored) {
    if (stored.contains("lora_controlnet")) return "Control-LoRA";
    if (stored.contains("difference")) return "ControlNet stored as the difference to its base model";
    if (hasPrefix(stored, "lllite_unet_")) return "ControlLLLite";
    if (hasPrefix(stored, "adapter.body.") || hasPrefix(stored, "body.0.")) return "T2I-Adapter";
    if (hasPrefix(stored, "control_add_embedding.") || hasPrefix(stored, "control_model.task_embedding") ||
        stored.contains("task_embedding"))
        return "union ControlNet";
    return nullptr;
}

}  // namespace reelbrush::weights
