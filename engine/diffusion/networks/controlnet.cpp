#include "engine/diffusion/networks/controlnet.h"

#include "engine/diffusion/networks/config_fields.h"
#include "engine/diffusion/networks/module_scope.h"
#include "engine/diffusion/networks/unet_blocks.h"

#include <fmt/format.h>

#include <cstddef>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

/// Brings the control picture to the size of the latents: pairs of layers, the second of each halving the size.
Value embedPicture(const ModuleScope& scope, Value picture, const ControlNetConfig& config) {
    const auto& channels = config.embeddingChannels;
    Value x = scope.activation(Activation::Silu, scope.conv3x3("conv_in", picture, channels[0]));
    for (std::size_t i = 0; i + 1 < channels.size(); ++i) {
        const std::string same = fmt::format("blocks.{}", 2 * i), smaller = fmt::format("blocks.{}", 2 * i + 1);
        x = scope.activation(Activation::Silu, scope.conv3x3(same, x, channels[i]));
        x = scope.activation(Activation::Silu, scope.conv3x3(smaller, x, channels[i + 1], {.stride = 2}));
    }
    return scope.conv3x3("conv_out", x, config.unet.levels[0].channels, {.mayQuantise = false});
}

/// A 1x1 convolution that began as zero. What it gives is added at full strength: never quantised.
Value zeroConvolution(const ModuleScope& root, const std::string& module, Value x) {
    const auto channels = static_cast<int>(root.shapeOf(x).channels());
    return root.linear(module, x, channels, {.mayQuantise = false});
}

}  // namespace

Result<ControlNetConfig> ControlNetConfig::fromJson(const nlohmann::json& json) {
    if (!json.is_object()) return fail(StatusCode::BadInput, "ControlNet configuration: it is no JSON object");
    const ConfigFields fields(json, "ControlNet configuration");
    ControlNetConfig config;
    RB_ASSIGN(config.pictureChannels, fields.positive("conditioning_channels", 3));
    RB_ASSIGN(const std::string order, fields.text("controlnet_conditioning_channel_order", "rgb"));
    if (order != "rgb")
        return fail(StatusCode::Unsupported,
                    fmt::format("ControlNets that take pictures as '{}' are not supported", order));
    if (json.contains("conditioning_embedding_out_channels")) {
        RB_ASSIGN(config.embeddingChannels, fields.positives("conditioning_embedding_out_channels", 0));
    }
    if (config.embeddingChannels.empty() || config.embeddingChannels.size() > 8)
        return fail(StatusCode::BadInput,
                    "ControlNet configuration: 'conditioning_embedding_out_channels' must list 1 to 8 layers");
    // It has no up blocks and no output; for the half that it has they make no difference.
    nlohmann::json whole = json;
    if (const auto down = json.find("down_block_types"); down != json.end() && down->is_array())
        whole["up_block_types"] = std::vector<std::string>(down->size(), "UpBlock2D");
    whole["out_channels"] = 4;
    RB_ASSIGN(config.unet, UnetConfig::fromJson(whole));
    return config;
}

std::vector<Value> buildControlNet(Graph& graph, const ControlNetConfig& config, const ControlNetInputs& inputs) {
    const ModuleScope root(graph, "");
    const Value embedding = unetEmbedding(root, config.unet, inputs.conditions);
    Value x = root.widened(inputs.latents, root.shapeOf(embedding).batch());
    x = root.conv3x3("conv_in", x, config.unet.levels[0].channels, {.mayQuantise = false});
    x = root.add(x, embedPicture(root.child("controlnet_cond_embedding"), inputs.picture, config));

    const UnetHooks none;
    UnetBlocks blocks(root, config.unet, embedding, inputs.context, none);
    x = blocks.middle(blocks.down(x));
    std::vector<Value> residuals;
    for (std::size_t i = 0; i < blocks.skips().size(); ++i)
        residuals.push_back(zeroConvolution(root, fmt::format("controlnet_down_blocks.{}", i), blocks.skips()[i]));
    residuals.push_back(zeroConvolution(root, "controlnet_mid_block", x));
    return residuals;
}

}  // namespace reelbrush::diffusion
