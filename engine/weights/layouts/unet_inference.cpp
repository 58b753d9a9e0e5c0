#include "engine/weights/layouts/unet_inference.h"

#include "engine/weights/layouts/weight_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace reelbrush::weights {

namespace {

using nlohmann::json;

/// How an SDXL UNet embeds the six numbers of original size, crop and target size.
constexpr std::int64_t kSizeNumbers = 6;
constexpr std::int64_t kHeadChannels = 64;
constexpr std::int64_t kHeadsOfConvolutional = 8;

tl::unexpected<Error> contradicts(const std::string& what) {
    return fail(StatusCode::BadInput,
                fmt::format("the tensors contradict each other: {}; the file is damaged or of an unknown kind", what));
}

struct Level {
    std::int64_t channels = 0;
    int layers = 0;
    bool attends = false;
    int depth = 1;  ///< transformer blocks in each attention
};

/// All attentions of a block must be equally deep: graphs know one depth a level.
Result<int> depthOf(const WeightShapes& shapes, const std::string& block) {
    const int attentions = shapes.count(block + ".attentions.", ".norm.weight");
    int depth = 0;
    for (int i = 0; i < attentions; ++i) {
        const int found = shapes.count(fmt::format("{}.attentions.{}.transformer_blocks.", block, i), ".norm1.weight");
        if (i > 0 && found != depth)
            return fail(StatusCode::Unsupported,
                        fmt::format("'{}' has transformers of unequal depth ({} and {}), as in SSD-1B; such UNets are "
                                    "not supported",
                                    block, depth, found));
        depth = found;
    }
    return std::max(depth, 1);
}

Result<Level> readLevel(const WeightShapes& shapes, const std::string& block) {
    Level level;
    level.channels = shapes.dim(block + ".resnets.0.norm2.weight", 0);
    level.layers = shapes.count(block + ".resnets.", ".norm1.weight");
    level.attends = shapes.has(block + ".attentions.0.norm.weight");
    RB_ASSIGN(level.depth, depthOf(shapes, block));
    return level;
}

Result<std::vector<Level>> readDownLevels(const WeightShapes& shapes) {
    std::vector<Level> levels;
    const int count = shapes.count("down_blocks.", ".resnets.0.norm1.weight");
    for (int i = 0; i < count; ++i) {
        RB_ASSIGN(Level level, readLevel(shapes, fmt::format("down_blocks.{}", i)));
        if (i > 0 && level.layers != levels.front().layers)
            return fail(StatusCode::Unsupported, fmt::format("'down_blocks.{}' has {} layers and 'down_blocks.0' {}; "
                                                             "such UNets are not supported",
                                                             i, level.layers, levels.front().layers));
        levels.push_back(level);
    }
    if (levels.empty()) return fail(StatusCode::BadInput, "it holds no 'down_blocks.0', the first level of a UNet");
    return levels;
}

Status checkTimeEmbedding(const WeightShapes& shapes, const std::vector<Level>& levels) {
    const auto shape = shapes.shape("time_embedding.linear_1.weight");
    if (shape.size() != 2 || shape[1] != levels.front().channels)
        return contradicts(
            fmt::format("'time_embedding.linear_1.weight' does not read the {} values of the first level",
                        levels.front().channels));
    if (shapes.dim("down_blocks.0.resnets.0.time_emb_proj.weight", 1) != shape[0])
        return contradicts(
            fmt::format("'down_blocks.0.resnets.0.time_emb_proj.weight' does not read the {} values of "
                        "the time embedding",
                        shape[0]));
    return {};
}

/// Width of the tokens that the cross-attentions read; the same in all of them.
Result<std::int64_t> contextWidth(const ListedWeights& weights, const WeightShapes& shapes) {
    std::int64_t width = 0;
    for (const std::string& name : weights.names()) {
        if (!name.ends_with(".attn2.to_k.weight")) continue;
        const std::int64_t found = shapes.dim(name, 1);
        if (width != 0 && found != width)
            return contradicts(fmt::format("'{}' reads tokens of width {}, others {}", name, found, width));
        width = found;
    }
    if (width == 0) return fail(StatusCode::BadInput, "it has no cross-attention, so no text could steer it");
    return width;
}

json oneOrList(const std::vector<std::int64_t>& values) {
    return std::ranges::all_of(values, [&](auto value) { return value == values.front(); }) ? json(values.front())
                                                                                            : json(values);
}

/// What UNet and ControlNet share.
Result<json> encoderConfig(const ListedWeights& weights, const WeightShapes& shapes, const std::vector<Level>& levels,
                           const UnetInference& options) {
    RB_TRY(checkTimeEmbedding(shapes, levels));
    RB_ASSIGN(const std::int64_t context, contextWidth(weights, shapes));
    RB_ASSIGN(const int middleDepth, depthOf(shapes, "mid_block"));
    if (middleDepth != levels.back().depth && levels.back().attends)
        return fail(StatusCode::Unsupported, fmt::format("the middle block is {} transformers deep, the last level {}; "
                                                         "such UNets are not supported",
                                                         middleDepth, levels.back().depth));
    std::string proj = "mid_block.attentions.0.proj_in.weight";
    for (std::size_t i = 0; i < levels.size() && !shapes.has(proj); ++i)
        proj = fmt::format("down_blocks.{}.attentions.0.proj_in.weight", i);
    const bool isLinear = shapes.shape(proj).size() == 2;

    std::vector<std::int64_t> channels, depths, heads;
    std::vector<std::string> types;
    for (const Level& level : levels) {
        channels.push_back(level.channels);
        depths.push_back(level.depth);
        heads.push_back(isLinear ? std::max<std::int64_t>(1, level.channels / kHeadChannels) : kHeadsOfConvolutional);
        types.emplace_back(level.attends ? "CrossAttnDownBlock2D" : "DownBlock2D");
    }
    json config = {
        {"act_fn", "silu"},
        {"attention_head_dim", oneOrList(heads)},
        {"block_out_channels", channels},
        {"class_embed_type", nullptr},
        {"cross_attention_dim", context},
        {"down_block_types", types},
        {"downsample_padding", 1},
        {"flip_sin_to_cos", true},
        {"freq_shift", 0},
        {"in_channels", shapes.dim("conv_in.weight", 1)},
        {"layers_per_block", levels.front().layers},
        {"mid_block_type", "UNetMidBlock2DCrossAttn"},
        {"norm_eps", 1e-5},
        {"norm_num_groups", 32},
        {"transformer_layers_per_block", oneOrList(depths)},
        {"use_linear_projection", isLinear},
        {"addition_embed_type", nullptr},
    };
    if (const std::int64_t input = shapes.dim("add_embedding.linear_1.weight", 1); input > 0) {
        const std::int64_t sizes = input - options.pooledWidth;
        const bool isKnown = sizes > 0 && sizes % kSizeNumbers == 0;
        config["addition_embed_type"] = "text_time";
        config["addition_time_embed_dim"] = isKnown ? json(sizes / kSizeNumbers) : json(nullptr);
        config["projection_class_embeddings_input_dim"] = input;
    }
    return config;
}

}  // namespace

Result<json> inferUnetConfig(const ListedWeights& unet, const UnetInference& options) {
    const WeightShapes shapes(unet);
    RB_ASSIGN(const std::vector<Level> levels, readDownLevels(shapes));
    RB_ASSIGN(json config, encoderConfig(unet, shapes, levels, options));
    config["_class_name"] = "UNet2DConditionModel";
    config["out_channels"] = shapes.dim("conv_out.weight", 0);
    if (shapes.dim("conv_out.weight", 0) == 0)
        return fail(StatusCode::BadInput, "it lacks 'conv_out.weight', the last layer of a UNet");
    std::vector<std::string> types;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const Level& down = levels[levels.size() - 1 - i];
        RB_ASSIGN(const Level up, readLevel(shapes, fmt::format("up_blocks.{}", i)));
        if (up.layers != down.layers + 1 || up.channels != down.channels)
            return contradicts(fmt::format("'up_blocks.{}' has {} layers of {} channels where {} of {} are needed", i,
                                           up.layers, up.channels, down.layers + 1, down.channels));
        if (up.attends && down.attends && up.depth != down.depth)
            return fail(StatusCode::Unsupported,
                        fmt::format("'up_blocks.{}' is {} transformers deep and the down block "
                                    "of its size {}; such UNets are not supported",
                                    i, up.depth, down.depth));
        types.emplace_back(up.attends ? "CrossAttnUpBlock2D" : "UpBlock2D");
    }
    config["up_block_types"] = types;
    return config;
}

Result<json> inferControlNetConfig(const ListedWeights& controlNet, const UnetInference& options) {
    const WeightShapes shapes(controlNet);
    RB_ASSIGN(const std::vector<Level> levels, readDownLevels(shapes));
    RB_ASSIGN(json config, encoderConfig(controlNet, shapes, levels, options));
    config["_class_name"] = "ControlNetModel";
    config["conditioning_channels"] = shapes.dim("controlnet_cond_embedding.conv_in.weight", 1);
    config["controlnet_conditioning_channel_order"] = "rgb";
    config["global_pool_conditions"] = false;
    // Every second block of the hint's encoder halves the picture and changes the width.
    std::vector<std::int64_t> widths = {shapes.dim("controlnet_cond_embedding.conv_in.weight", 0)};
    const int blocks = shapes.count("controlnet_cond_embedding.blocks.", ".weight");
    for (int i = 1; i < blocks; i += 2)
        widths.push_back(shapes.dim(fmt::format("controlnet_cond_embedding.blocks.{}.weight", i), 0));
    if (widths.front() == 0 || widths.size() != 4)
        return fail(StatusCode::BadInput,
                    "it lacks layers of 'controlnet_cond_embedding', which read the control "
                    "picture");
    config["conditioning_embedding_out_channels"] = widths;
    return config;
}

}  // namespace reelbrush::weights
