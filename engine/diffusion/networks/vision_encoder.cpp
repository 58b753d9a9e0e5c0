#include "engine/diffusion/networks/vision_encoder.h"

#include "engine/diffusion/networks/config_fields.h"
#include "engine/diffusion/networks/module_scope.h"

#include <fmt/format.h>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

constexpr ModuleScope::LinearOptions kFloat{.mayQuantise = false};

Value selfAttention(const ModuleScope& scope, Value x, const VisionEncoderConfig& config) {
    Attention op;
    op.heads = config.heads;
    op.headSize = config.hiddenSize / config.heads;
    const Value q = scope.linear("q_proj", x, config.hiddenSize, kFloat);
    const Value k = scope.linear("k_proj", x, config.hiddenSize, kFloat);
    const Value v = scope.linear("v_proj", x, config.hiddenSize, kFloat);
    const Value mixed = scope.graph().add(op, {q, k, v}, {}, scope.nameOf("attention"));
    return scope.linear("out_proj", mixed, config.hiddenSize, kFloat);
}

Value encoderLayer(const ModuleScope& scope, Value x, const VisionEncoderConfig& config) {
    const Value normed = scope.layerNorm("layer_norm1", x, config.normEpsilon);
    x = scope.add(selfAttention(scope.child("self_attn"), normed, config), x);
    Value hidden = scope.layerNorm("layer_norm2", x, config.normEpsilon);
    hidden = scope.linear("mlp.fc1", hidden, config.intermediateSize, kFloat);
    hidden = scope.activation(config.quickGelu ? Activation::QuickGelu : Activation::Gelu, hidden);
    return scope.add(scope.linear("mlp.fc2", hidden, config.hiddenSize, kFloat), x);
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
    for (int i = 0; i + 1 < config.layers; ++i)
        x = encoderLayer(root.child(fmt::format("encoder.layers.{}", i)), x, config);
    return x;
}

}  // namespace reelbrush::diffusion
