#include "engine/weights/layouts/implied_names.h"

#include "engine/weights/layouts/implied_fields.h"
#include "engine/weights/layouts/name_list.h"

#include <fmt/format.h>

#include <cstddef>

namespace reelbrush::weights {

namespace {

using nlohmann::json;

void addResnet(NameList& names, const std::string& module, bool hasTime, bool hasShortcut) {
    names.add(module, {"norm1", "conv1", "norm2", "conv2"});
    if (hasTime) names.add(module + ".time_emb_proj");
    if (hasShortcut) names.add(module + ".conv_shortcut");
}

void addTransformer(NameList& names, const std::string& module, int depth) {
    names.add(module, {"norm", "proj_in", "proj_out"});
    for (int i = 0; i < depth; ++i) {
        const std::string block = fmt::format("{}.transformer_blocks.{}", module, i);
        names.add(block, {"norm1", "norm2", "norm3", "ff.net.0.proj", "ff.net.2"});
        for (const char* attention : {".attn1.", ".attn2."}) {
            for (const char* projection : {"to_q", "to_k", "to_v"}) names.addWeight(block + attention + projection);
            names.add(block + attention + "to_out.0");
        }
    }
}

/// A level on the way down or up.
struct Block {
    std::string name;
    int layers = 0;
    int depth = 0;  ///< of its transformers; 0 without
    bool firstNeedsShortcut = false;
    bool othersNeedShortcut = false;
    const char* resampler = nullptr;  ///< null in the last block
};

void addBlock(NameList& names, const Block& block, bool hasTime) {
    for (int i = 0; i < block.layers; ++i) {
        const bool hasShortcut = i == 0 ? block.firstNeedsShortcut : block.othersNeedShortcut;
        addResnet(names, fmt::format("{}.resnets.{}", block.name, i), hasTime, hasShortcut);
        if (block.depth > 0) addTransformer(names, fmt::format("{}.attentions.{}", block.name, i), block.depth);
    }
    if (block.resampler) names.add(fmt::format("{}.{}.0.conv", block.name, block.resampler));
}

void addEncoderHalf(NameList& names, const UnetFields& fields) {
    names.add("conv_in");
    names.add("time_embedding", {"linear_1", "linear_2"});
    if (fields.hasSizes) names.add("add_embedding", {"linear_1", "linear_2"});
    if (fields.hasTimestepClass) names.add("class_embedding", {"linear_1", "linear_2"});
    const std::size_t levels = fields.channels.size();
    for (std::size_t i = 0; i < levels; ++i) {
        Block block;
        block.name = fmt::format("down_blocks.{}", i);
        block.layers = fields.layers;
        block.depth = fields.downAttends[i] ? fields.depths[i] : 0;
        block.firstNeedsShortcut = i > 0 && fields.channels[i] != fields.channels[i - 1];
        if (i + 1 < levels) block.resampler = "downsamplers";
        addBlock(names, block, /*hasTime=*/true);
    }
    addResnet(names, "mid_block.resnets.0", true, false);
    addTransformer(names, "mid_block.attentions.0", fields.depths.back());
    addResnet(names, "mid_block.resnets.1", true, false);
}

void addVaeMiddle(NameList& names, const std::string& side, bool hasAttention) {
    addResnet(names, side + ".mid_block.resnets.0", false, false);
    addResnet(names, side + ".mid_block.resnets.1", false, false);
    if (hasAttention) names.add(side + ".mid_block.attentions.0", {"group_norm", "to_q", "to_k", "to_v", "to_out.0"});
}

}  // namespace

ImpliedNames impliedUnetNames(const json& config) {
    const auto fields = UnetFields::read(config, /*hasUpBlocks=*/true);
    if (!fields) return std::nullopt;
    NameList names;
    addEncoderHalf(names, *fields);
    const std::size_t levels = fields->channels.size();
    for (std::size_t i = 0; i < levels; ++i) {
        Block block;
        block.name = fmt::format("up_blocks.{}", i);
        block.layers = fields->layers + 1;
        block.depth = fields->upAttends[i] ? fields->depths[levels - 1 - i] : 0;
        block.firstNeedsShortcut = block.othersNeedShortcut = true;  // each reads a skip connection too
        if (i + 1 < levels) block.resampler = "upsamplers";
        addBlock(names, block, /*hasTime=*/true);
    }
    names.add("conv_norm_out");
    names.add("conv_out");
    return std::move(names).sorted();
}

ImpliedNames impliedControlNetNames(const json& config) {
    const auto fields = UnetFields::read(config, /*hasUpBlocks=*/false);
    const auto hints = listedNumbers(config, "conditioning_embedding_out_channels");
    if (!fields || !hints) return std::nullopt;
    NameList names;
    addEncoderHalf(names, *fields);
    names.add("controlnet_cond_embedding", {"conv_in", "conv_out"});
    for (std::size_t i = 0; i + 2 < 2 * hints->size(); ++i)
        names.add(fmt::format("controlnet_cond_embedding.blocks.{}", i));
    // One for conv_in, for each layer, and for each downsampler.
    const int levels = static_cast<int>(fields->channels.size());
    for (int i = 0; i < levels * (fields->layers + 1); ++i) names.add(fmt::format("controlnet_down_blocks.{}", i));
    names.add("controlnet_mid_block");
    return std::move(names).sorted();
}

ImpliedNames impliedVaeNames(const json& config) {
    const auto type = config.find("_class_name");
    if (type != config.end() && *type != "AutoencoderKL") return std::nullopt;
    const auto channels = listedNumbers(config, "block_out_channels");
    const auto layers = wholeNumber(config, "layers_per_block");
    if (!channels || channels->empty() || !layers) return std::nullopt;
    const bool hasAttention = flagOr(config, "mid_block_add_attention", true);
    const std::size_t levels = channels->size();
    NameList names;
    for (const char* side : {"encoder", "decoder"}) {
        names.add(side, {"conv_in", "conv_norm_out", "conv_out"});
        addVaeMiddle(names, side, hasAttention);
    }
    for (std::size_t i = 0; i < levels; ++i) {
        Block down;
        down.name = fmt::format("encoder.down_blocks.{}", i);
        down.layers = *layers;
        down.firstNeedsShortcut = i > 0 && (*channels)[i] != (*channels)[i - 1];
        if (i + 1 < levels) down.resampler = "downsamplers";
        addBlock(names, down, /*hasTime=*/false);
        Block up;
        up.name = fmt::format("decoder.up_blocks.{}", i);
        up.layers = *layers + 1;
        up.firstNeedsShortcut = i > 0 && (*channels)[levels - 1 - i] != (*channels)[levels - i];
        if (i + 1 < levels) up.resampler = "upsamplers";
        addBlock(names, up, /*hasTime=*/false);
    }
    if (flagOr(config, "use_quant_conv", true)) names.add("quant_conv");
    if (flagOr(config, "use_post_quant_conv", true)) names.add("post_quant_conv");
    return std::move(names).sorted();
}

ImpliedNames impliedTextEncoderNames(const json& config) {
    const auto layers = wholeNumber(config, "num_hidden_layers");
    if (!layers) return std::nullopt;
    NameList names;
    names.addWeight("text_model.embeddings.token_embedding");
    names.addWeight("text_model.embeddings.position_embedding");
    for (int i = 0; i < *layers; ++i)
        names.add(fmt::format("text_model.encoder.layers.{}", i),
                  {"layer_norm1", "layer_norm2", "mlp.fc1", "mlp.fc2", "self_attn.q_proj", "self_attn.k_proj",
                   "self_attn.v_proj", "self_attn.out_proj"});
    names.add("text_model.final_layer_norm");
    const auto types = config.find("architectures");
    if (types != config.end() && *types == json::array({"CLIPTextModelWithProjection"}))
        names.addWeight("text_projection");
    return std::move(names).sorted();
}

}  // namespace reelbrush::weights
