#include "engine/weights/layouts/vae_names.h"

#include "engine/weights/layouts/dotted_name.h"

#include <fmt/format.h>

#include <optional>
#include <string>

namespace reelbrush::weights {

namespace {

using Pair = std::pair<std::string_view, std::string_view>;

constexpr Pair kSides[] = {
    {"conv_in.", "conv_in."},
    {"conv_out.", "conv_out."},
    {"norm_out.", "conv_norm_out."},
    {"mid.attn_1.norm.", "mid_block.attentions.0.group_norm."},
    {"mid.attn_1.q.", "mid_block.attentions.0.to_q."},
    {"mid.attn_1.k.", "mid_block.attentions.0.to_k."},
    {"mid.attn_1.v.", "mid_block.attentions.0.to_v."},
    {"mid.attn_1.proj_out.", "mid_block.attentions.0.to_out.0."},
};

constexpr Pair kResnet[] = {
    {"norm1.", "norm1."},
    {"norm2.", "norm2."},
    {"conv1.", "conv1."},
    {"conv2.", "conv2."},
    {"nin_shortcut.", "conv_shortcut."},
};

constexpr Pair kOldAttention[] = {
    {"query.", "to_q."},
    {"key.", "to_k."},
    {"value.", "to_v."},
    {"proj_attn.", "to_out.0."},
};

std::optional<std::string> resnetName(const std::string& block, int layer, const DottedName& name) {
    const auto rest = name.exchanged(kResnet);
    return rest ? std::optional(fmt::format("{}.resnets.{}.{}", block, layer, *rest)) : std::nullopt;
}

std::optional<std::string> midName(DottedName name) {
    const auto index = name.takeIndex();
    if (!index || *index < 1 || *index > 2) return std::nullopt;
    return resnetName("mid_block", *index - 1, name);
}

std::optional<std::string> levelName(DottedName name, const char* blocks, int levels) {
    const bool isUp = levels > 0;
    const auto level = name.takeIndex();
    if (!level || (isUp && *level >= levels)) return std::nullopt;
    const std::string block = fmt::format("{}.{}", blocks, isUp ? levels - 1 - *level : *level);
    if (name.take(isUp ? "upsample.conv." : "downsample.conv."))
        return fmt::format("{}.{}.0.conv.{}", block, isUp ? "upsamplers" : "downsamplers", name.rest());
    if (!name.take("block.")) return std::nullopt;
    const auto layer = name.takeIndex();
    return layer ? resnetName(block, *layer, name) : std::nullopt;
}

/// Encoder or decoder.
std::optional<std::string> sideName(DottedName name, int levels) {
    if (auto rest = name.exchanged(kSides)) return rest;
    if (name.take("mid.block_")) return midName(name);
    if (name.take("down.")) return levelName(name, "down_blocks", 0);
    if (name.take("up.")) return levelName(name, "up_blocks", levels);
    return std::nullopt;
}

}  // namespace

int ldmVaeLevels(const ListedWeights& stored, std::string_view prefix) {
    int levels = 0;
    while (hasPrefix(stored, fmt::format("{}decoder.up.{}.", prefix, levels))) ++levels;
    return levels;
}

NameTranslation ldmVaeName(std::string_view stored, int levels) {
    DottedName name(stored);
    if (stored.starts_with("quant_conv.") || stored.starts_with("post_quant_conv."))
        return NameTranslation::as(std::string(stored));
    for (const char* side : {"encoder.", "decoder."}) {
        if (!name.take(side)) continue;
        const auto rest = sideName(name, levels);
        return rest ? NameTranslation::as(side + *rest) : NameTranslation::unknown();
    }
    // What only training needs: the discriminator's loss and averaged copies.
    if (stored.starts_with("loss.") || stored.starts_with("model_ema.")) return NameTranslation::unused();
    return NameTranslation::unknown();
}

NameTranslation diffusersVaeName(std::string_view stored) {
    constexpr std::string_view kAttention = "mid_block.attentions.0.";
    const auto at = stored.find(kAttention);
    if (at != stored.npos) {
        const DottedName name(stored.substr(at + kAttention.size()));
        if (const auto rest = name.exchanged(kOldAttention))
            return NameTranslation::as(std::string(stored.substr(0, at + kAttention.size())) + *rest);
    }
    return NameTranslation::as(std::string(stored));
}

}  // namespace reelbrush::weights
