#include "engine/weights/layouts/motion_names.h"

#include "engine/weights/layouts/dotted_name.h"

#include <fmt/format.h>

#include <optional>
#include <string>

namespace reelbrush::weights {

namespace {

using Pair = std::pair<std::string_view, std::string_view>;

constexpr Pair kBlock[] = {
    {"attention_blocks.0.pos_encoder.pe", "pos_embed.pe"},
    {"attention_blocks.0.", "attn1."},
    {"attention_blocks.1.", "attn2."},
    {"norms.0.", "norm1."},
    {"norms.1.", "norm2."},
    {"ff_norm.", "norm3."},
    // As diffusers has them already.
    {"attn1.", "attn1."},
    {"attn2.", "attn2."},
    {"norm1.", "norm1."},
    {"norm2.", "norm2."},
    {"norm3.", "norm3."},
    {"ff.", "ff."},
    {"pos_embed.pe", "pos_embed.pe"},
};

/// "down_blocks.0." or "mid_block.", gone past; empty where the name begins otherwise.
std::string takeBlock(DottedName& name) {
    if (name.take("mid_block.")) return "mid_block.";
    for (const char* blocks : {"down_blocks.", "up_blocks."}) {
        if (!name.take(blocks)) continue;
        const auto index = name.takeIndex();
        return index ? fmt::format("{}{}.", blocks, *index) : std::string();
    }
    return {};
}

NameTranslation motionName(std::string_view stored) {
    DottedName name(stored);
    const std::string block = takeBlock(name);
    if (block.empty() || !name.take("motion_modules.")) return NameTranslation::unknown();
    const auto index = name.takeIndex();
    if (!index) return NameTranslation::unknown();
    name.take("temporal_transformer.");
    const std::string module = fmt::format("{}motion_modules.{}.", block, *index);
    for (const char* own : {"norm.", "proj_in.", "proj_out."})
        if (name.rest().starts_with(own)) return NameTranslation::as(module + std::string(name.rest()));
    if (!name.take("transformer_blocks.")) return NameTranslation::unknown();
    const auto layer = name.takeIndex();
    if (!layer) return NameTranslation::unknown();
    if (name.rest() == "attention_blocks.1.pos_encoder.pe") return NameTranslation::unused();
    const auto rest = name.exchanged(kBlock);
    if (!rest) return NameTranslation::unknown();
    return NameTranslation::as(fmt::format("{}transformer_blocks.{}.{}", module, *layer, *rest));
}

}  // namespace

TranslatedNames motionNames(const ListedWeights& stored) {
    // Files straight from a trainer keep the name of its wrapper.
    return translateNames(stored, hasPrefix(stored, "module.") ? "module." : "", motionName);
}

}  // namespace reelbrush::weights
