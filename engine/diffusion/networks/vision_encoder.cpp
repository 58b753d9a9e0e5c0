#include "engine/diffusion/networks/vision_encoder.h"

#include "engine/diffusion/networks/clip_layer.h"
#include "engine/diffusion/networks/config_fields.h"
#include "engine/diffusion/networks/module_scope.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

constexpr ModuleScope::LinearOptions kFloatNoBias{.bias = false, .mayQuantise = false};

// CLIP's preprocessing (openai/CLIP).
constexpr std::array<float, 3> kMean{0.48145466f, 0.4578275f, 0.40821073f};
constexpr std::array<float, 3> kDeviation{0.26862954f, 0.26130258f, 0.27577711f};

ClipLayer layerOf(const VisionEncoderConfig& config) {
    return {config.hiddenSize,  config.intermediateSize,
            config.heads,       config.quickGelu ? Activation::QuickGelu : Activation::Gelu,
            config.normEpsilon, false};
}

Value encoderLayer(Graph& graph, int index, Value x, const VisionEncoderConfig& config) {
    return clipLayer(ModuleScope(graph, fmt::format("encoder.layers.{}", index)), x, layerOf(config));
}

/// A learned tensor stored as `stored`, seen as `shape`.
Value learned(Graph& graph, const std::string& name, const Shape& stored, const Shape& shape) {
    const Value value = graph.add(Constant{stored}, {}, {name}, name);
    return graph.add(Reshape{shape}, {value}, {}, name);
}

}  // namespace

Result<VisionEncoderConfig> VisionEncoderConfig::fromJson(const nlohmann::json& json) {
    const ConfigFields fields(json, "image encoder configuration");
    VisionEncoderConfig config;
    RB_ASSIGN(config.hiddenSize, fields.positive("hidden_size"));
    RB_ASSIGN(config.intermediateSize, fields.positive("intermediate_size"));
    RB_ASSIGN(config.layers, fields.positive("num_hidden_layers"));
    RB_ASSIGN(config.heads, fields.positive("num_attention_heads"));
    RB_ASSIGN(config.imageSize, fields.positive("image_size"));
    RB_ASSIGN(config.patchSize, fields.positive("patch_size"));
    RB_ASSIGN(config.projection, fields.positive("projection_dim", config.hiddenSize));
    RB_ASSIGN(config.normEpsilon, fields.number("layer_norm_eps", 1e-5f));
    RB_ASSIGN(const std::string activation, fields.text("hidden_act", "quick_gelu"));
    if (activation != "quick_gelu" && activation != "gelu")
        return fail(StatusCode::Unsupported, fmt::format("image encoders with '{}' are not supported", activation));
    config.quickGelu = activation == "quick_gelu";
    if (config.hiddenSize % config.heads != 0 || config.imageSize % config.patchSize != 0)
        return fail(StatusCode::BadInput,
                    "image encoder configuration: hidden_size must divide into heads and image_size into patches");
    return config;
}

Value buildVisionEncoder(Graph& graph, const VisionEncoderConfig& config, Value picture) {
    const ModuleScope root(graph, "");
    const std::int64_t batch = graph.shapeOf(picture).batch();
    Conv2d patches;
    patches.outChannels = config.hiddenSize;
    patches.kernelHeight = patches.kernelWidth = patches.stride = config.patchSize;
    patches.padTop = patches.padLeft = patches.padBottom = patches.padRight = 0;
    patches.hasBias = false;
    patches.mayQuantise = false;
    const std::string patchName = "embeddings.patch_embedding";
    Value x = root.toTokens(graph.add(patches, {picture}, {patchName + ".weight", ""}, patchName));

    Value classToken = learned(graph, "embeddings.class_embedding", {config.hiddenSize}, {1, 1, config.hiddenSize});
    if (batch > 1) classToken = graph.add(RepeatBatch{static_cast<int>(batch)}, {classToken});
    x = graph.add(ConcatTokens{}, {classToken, x});
    x = root.add(x, learned(graph, "embeddings.position_embedding.weight", {config.tokens(), config.hiddenSize},
                            {1, config.tokens(), config.hiddenSize}));
    x = root.layerNorm("pre_layrnorm", x, config.normEpsilon);  // spelled so in the files
    for (int i = 0; i + 1 < config.layers; ++i) x = encoderLayer(graph, i, x, config);
    return x;
}

Value buildLastVisionLayer(Graph& graph, const VisionEncoderConfig& config, Value tokens) {
    return encoderLayer(graph, config.layers - 1, tokens, config);
}

Value buildPictureEmbedding(Graph& graph, const VisionEncoderConfig& config, Value classTokens) {
    const ModuleScope root(graph, "");
    const Value normed = root.layerNorm("post_layernorm", classTokens, config.normEpsilon);
    return root.linear("visual_projection", normed, config.projection, kFloatNoBias);
}

std::vector<float> normalisedForClip(std::span<const float> picture) {
    std::vector<float> normalised(picture.size());
    for (std::size_t i = 0; i < picture.size(); ++i) normalised[i] = (picture[i] - kMean[i % 3]) / kDeviation[i % 3];
    return normalised;
}

}  // namespace reelbrush::diffusion
