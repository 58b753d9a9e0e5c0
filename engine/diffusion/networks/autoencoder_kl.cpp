#include "engine/diffusion/networks/autoencoder_kl.h"

#include "engine/diffusion/networks/config_fields.h"
#include "engine/diffusion/networks/module_scope.h"

#include <fmt/format.h>

#include <cstddef>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

constexpr float kEpsilon = 1e-6f;  // fixed in diffusers' Encoder and Decoder
constexpr ModuleScope::ConvOptions kFirstOrLast{.mayQuantise = false};

Value normed(const ModuleScope& scope, const char* part, Value x, int groups) {
    return scope.activation(Activation::Silu, scope.groupNorm(part, x, groups, kEpsilon));
}

Value resnet(const ModuleScope& scope, Value x, int channels, int groups) {
    Value hidden = scope.conv3x3("conv1", normed(scope, "norm1", x, groups), channels);
    hidden = scope.conv3x3("conv2", normed(scope, "norm2", hidden, groups), channels);
    if (scope.shapeOf(x).channels() != channels) x = scope.linear("conv_shortcut", x, channels);
    return scope.add(hidden, x);
}

/// Every latent looks at all others: one head as wide as all channels.
Value selfAttention(const ModuleScope& scope, Value image, int groups) {
    const Shape shape = scope.shapeOf(image);
    const auto channels = static_cast<int>(shape.channels());
    const Value tokens = scope.toTokens(scope.groupNorm("group_norm", image, groups, kEpsilon));
    const Value q = scope.linear("to_q", tokens, channels);
    const Value k = scope.linear("to_k", tokens, channels);
    const Value v = scope.linear("to_v", tokens, channels);
    Attention op;
    op.heads = 1;
    op.headSize = channels;
    const Value mixed = scope.graph().add(op, {q, k, v}, {}, scope.nameOf("attention"));
    return scope.add(scope.toImage(scope.linear("to_out.0", mixed, channels), shape), image);
}

Value middle(const ModuleScope& scope, Value x, const AutoencoderKlConfig& config) {
    const int channels = config.channels.back();
    x = resnet(scope.child("resnets.0"), x, channels, config.normGroups);
    if (config.middleAttends) x = selfAttention(scope.child("attentions.0"), x, config.normGroups);
    return resnet(scope.child("resnets.1"), x, channels, config.normGroups);
}

/// Halves the size; the window reaches over the right and lower border only.
Value downsample(const ModuleScope& scope, Value x, int channels) {
    Conv2d op;
    op.outChannels = channels;
    op.stride = 2;
    op.padTop = op.padLeft = 0;
    op.padBottom = op.padRight = 1;
    const std::string name = scope.nameOf("downsamplers.0.conv");
    return scope.graph().add(op, {x}, {name + ".weight", name + ".bias"}, name);
}

Value upsample(const ModuleScope& scope, Value x, int channels) {
    const Shape shape = scope.shapeOf(x);
    UpsampleNearest op;
    op.height = static_cast<int>(shape[1] * 2);
    op.width = static_cast<int>(shape[2] * 2);
    x = scope.graph().add(op, {x}, {}, scope.nameOf("upsamplers.0"));
    return scope.conv3x3("upsamplers.0.conv", x, channels);
}

}  // namespace

Result<AutoencoderKlConfig> AutoencoderKlConfig::fromJson(const nlohmann::json& json) {
    if (!json.is_object()) return fail(StatusCode::BadInput, "VAE configuration: it is no JSON object");
    const ConfigFields fields(json, "VAE configuration");
    AutoencoderKlConfig config;
    RB_ASSIGN(config.pictureChannels, fields.positive("in_channels", 3));
    RB_ASSIGN(const int outChannels, fields.positive("out_channels", 3));
    RB_ASSIGN(config.latentChannels, fields.positive("latent_channels", 4));
    RB_ASSIGN(config.channels, fields.positives("block_out_channels", 0));
    RB_ASSIGN(config.layersPerBlock, fields.positive("layers_per_block", 1));
    RB_ASSIGN(config.normGroups, fields.positive("norm_num_groups", 32));
    RB_ASSIGN(config.hasQuantConv, fields.flag("use_quant_conv", true));
    RB_ASSIGN(config.hasPostQuantConv, fields.flag("use_post_quant_conv", true));
    RB_ASSIGN(config.middleAttends, fields.flag("mid_block_add_attention", true));
    RB_ASSIGN(config.scalingFactor, fields.number("scaling_factor", 0.18215f));
    if (config.channels.empty() || config.channels.size() > 8)
        return fail(StatusCode::BadInput, "VAE configuration: 'block_out_channels' must list 1 to 8 levels");
    for (const int channels : config.channels)
        if (channels % config.normGroups != 0)
            return fail(StatusCode::BadInput, fmt::format("VAE configuration: {} channels do not divide into {} groups",
                                                          channels, config.normGroups));
    if (config.pictureChannels != 3 || outChannels != 3 || !(config.scalingFactor > 0))
        return fail(StatusCode::BadInput,
                    "VAE configuration: pictures must have three channels, and 'scaling_factor' must be above 0");
    for (const char* field : {"latents_mean", "latents_std", "shift_factor"})
        if (json.contains(field) && !json[field].is_null() && json[field] != 0.0)
            return fail(StatusCode::Unsupported, fmt::format("VAEs with '{}' are not supported", field));
    return config;
}

Value buildKlEncoder(Graph& graph, const AutoencoderKlConfig& config, Value picture) {
    const ModuleScope root(graph, ""), encoder = root.child("encoder");
    Value x = encoder.conv3x3("conv_in", picture, config.channels[0], kFirstOrLast);
    for (std::size_t level = 0; level < config.channels.size(); ++level) {
        const ModuleScope block = encoder.child(fmt::format("down_blocks.{}", level));
        for (int i = 0; i < config.layersPerBlock; ++i)
            x = resnet(block.child(fmt::format("resnets.{}", i)), x, config.channels[level], config.normGroups);
        if (level + 1 < config.channels.size()) x = downsample(block, x, config.channels[level]);
    }
    x = normed(encoder, "conv_norm_out", middle(encoder.child("mid_block"), x, config), config.normGroups);
    const int moments = 2 * config.latentChannels;
    x = encoder.conv3x3("conv_out", x, moments, kFirstOrLast);
    return config.hasQuantConv ? root.linear("quant_conv", x, moments, {.mayQuantise = false}) : x;
}

Value buildKlDecoder(Graph& graph, const AutoencoderKlConfig& config, Value latents) {
    const ModuleScope root(graph, ""), decoder = root.child("decoder");
    Value x = latents;
    if (config.hasPostQuantConv) x = root.linear("post_quant_conv", x, config.latentChannels, {.mayQuantise = false});
    x = decoder.conv3x3("conv_in", x, config.channels.back(), kFirstOrLast);
    x = middle(decoder.child("mid_block"), x, config);
    for (std::size_t index = 0; index < config.channels.size(); ++index) {
        const int channels = config.channels[config.channels.size() - 1 - index];
        const ModuleScope block = decoder.child(fmt::format("up_blocks.{}", index));
        for (int i = 0; i <= config.layersPerBlock; ++i)
            x = resnet(block.child(fmt::format("resnets.{}", i)), x, channels, config.normGroups);
        if (index + 1 < config.channels.size()) x = upsample(block, x, channels);
    }
    x = normed(decoder, "conv_norm_out", x, config.normGroups);
    return decoder.conv3x3("conv_out", x, config.pictureChannels, kFirstOrLast);
}

}  // namespace reelbrush::diffusion
