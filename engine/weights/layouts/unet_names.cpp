#include "engine/weights/layouts/unet_names.h"

#include "engine/weights/layouts/dotted_name.h"

#include <fmt/format.h>

#include <optional>
#include <string>

namespace reelbrush::weights {

namespace {

using Pair = std::pair<std::string_view, std::string_view>;

constexpr Pair kEnds[] = {
    {"time_embed.0.", "time_embedding.linear_1."},
    {"time_embed.2.", "time_embedding.linear_2."},
    {"label_emb.0.0.", "add_embedding.linear_1."},
    {"label_emb.0.2.", "add_embedding.linear_2."},
    {"input_blocks.0.0.", "conv_in."},
    {"out.0.", "conv_norm_out."},
    {"out.2.", "conv_out."},
};

constexpr Pair kResnet[] = {
    {"in_layers.0.", "norm1."},  {"in_layers.2.", "conv1."},  {"emb_layers.1.", "time_emb_proj."},
    {"out_layers.0.", "norm2."}, {"out_layers.3.", "conv2."}, {"skip_connection.", "conv_shortcut."},
};

bool isTransformer(std::string_view rest) {
    return rest.starts_with("norm.") || rest.starts_with("proj_in.") || rest.starts_with("proj_out.") ||
           rest.starts_with("transformer_blocks.");
}

/// A residual layer or transformer in its block: module "down_blocks.1", layer 0.
std::optional<std::string> layerName(const std::string& block, int layer, const DottedName& name) {
    if (const auto resnet = name.exchanged(kResnet)) return fmt::format("{}.resnets.{}.{}", block, layer, *resnet);
    if (isTransformer(name.rest())) return fmt::format("{}.attentions.{}.{}", block, layer, name.rest());
    return std::nullopt;
}

std::optional<std::string> inputBlockName(DottedName name, int layersPerBlock) {
    const auto index = name.takeIndex();
    if (!index || *index == 0 || !name.takeIndex()) return std::nullopt;
    const int block = (*index - 1) / (layersPerBlock + 1);
    const int layer = (*index - 1) % (layersPerBlock + 1);
    const std::string module = fmt::format("down_blocks.{}", block);
    if (layer < layersPerBlock) return layerName(module, layer, name);
    if (!name.take("op.")) return std::nullopt;
    return fmt::format("{}.downsamplers.0.conv.{}", module, name.rest());
}

std::optional<std::string> outputBlockName(DottedName name, int layersPerBlock) {
    const auto index = name.takeIndex();
    if (!index || !name.takeIndex()) return std::nullopt;
    const int block = *index / (layersPerBlock + 1);
    const int layer = *index % (layersPerBlock + 1);
    const std::string module = fmt::format("up_blocks.{}", block);
    // The upsampler is the last module of the last layer, whichever number that gives it.
    if (name.take("conv.")) return fmt::format("{}.upsamplers.0.conv.{}", module, name.rest());
    return layerName(module, layer, name);
}

std::optional<std::string> middleBlockName(DottedName name) {
    const auto index = name.takeIndex();
    if (!index || *index > 2) return std::nullopt;
    return layerName("mid_block", *index == 2 ? 1 : 0, name);
}

}  // namespace

int ldmLayersPerBlock(const ListedWeights& stored, std::string_view prefix) {
    int blocks = 0;
    const std::string start = std::string(prefix) + "input_blocks.";
    while (hasPrefix(stored, fmt::format("{}{}.", start, blocks))) {
        if (stored.contains(fmt::format("{}{}.0.op.weight", start, blocks))) break;
        ++blocks;
    }
    return blocks == 0 ? 0 : blocks - 1;
}

NameTranslation ldmUnetName(std::string_view stored, int layersPerBlock) {
    DottedName name(stored);
    if (auto end = name.exchanged(kEnds)) return NameTranslation::as(std::move(*end));
    if (name.take("input_blocks.")) return NameTranslation::as(inputBlockName(name, layersPerBlock));
    if (name.take("output_blocks.")) return NameTranslation::as(outputBlockName(name, layersPerBlock));
    if (name.take("middle_block.")) return NameTranslation::as(middleBlockName(name));
    return NameTranslation::unknown();
}

NameTranslation diffusersUnetName(std::string_view name) {
    for (const char* start : {"conv_in.", "conv_norm_out.", "conv_out.", "time_embedding.", "add_embedding.",
                              "class_embedding.", "down_blocks.", "mid_block.", "up_blocks."})
        if (name.starts_with(start)) return NameTranslation::as(std::string(name));
    return NameTranslation::unknown();
}

}  // namespace reelbrush::weights
