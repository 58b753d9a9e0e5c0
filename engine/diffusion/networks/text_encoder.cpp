#include "engine/diffusion/networks/text_encoder.h"

#include "engine/diffusion/networks/clip_layer.h"
#include "engine/diffusion/networks/config_fields.h"
#include "engine/diffusion/networks/module_scope.h"

#include <fmt/format.h>

#include <algorithm>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

constexpr ModuleScope::LinearOptions kFloatNoBias{.bias = false, .mayQuantise = false};
constexpr int kMostLayers = 256, kMostPositions = 1024;

Result<Activation> activationNamed(const std::string& name) {
    if (name == "quick_gelu") return Activation::QuickGelu;
    if (name == "gelu") return Activation::Gelu;
    if (name == "gelu_new" || name == "gelu_pytorch_tanh") return Activation::GeluTanh;
    return fail(StatusCode::Unsupported, fmt::format("text encoders with '{}' are not supported", name.substr(0, 80)));
}

}  // namespace

Result<TextEncoderConfig> TextEncoderConfig::fromJson(const nlohmann::json& json) {
    const ConfigFields fields(json, "text encoder configuration");
    TextEncoderConfig config;
    RB_ASSIGN(config.hiddenSize, fields.positive("hidden_size"));
    RB_ASSIGN(config.intermediateSize, fields.positive("intermediate_size"));
    RB_ASSIGN(config.layers, fields.positive("num_hidden_layers"));
    RB_ASSIGN(config.heads, fields.positive("num_attention_heads"));
    RB_ASSIGN(config.positions, fields.positive("max_position_embeddings", config.positions));
    RB_ASSIGN(config.vocabulary, fields.positive("vocab_size", config.vocabulary));
    RB_ASSIGN(config.projection, fields.positive("projection_dim", config.hiddenSize));
    RB_ASSIGN(config.eosToken, fields.positive("eos_token_id", kLegacyEosToken));
    RB_ASSIGN(config.normEpsilon, fields.number("layer_norm_eps", config.normEpsilon));
    RB_ASSIGN(const std::string activation, fields.text("hidden_act", "quick_gelu"));
    RB_ASSIGN(config.activation, activationNamed(activation));
    if (config.hiddenSize % config.heads != 0)
        return fail(StatusCode::BadInput, "text encoder configuration: hidden_size must divide into heads");
    if (config.layers > kMostLayers || config.positions > kMostPositions)
        return fail(StatusCode::BadInput,
                    fmt::format("text encoder configuration: {} layers and {} positions are more than any encoder has",
                                config.layers, config.positions));
    return config;
}

Value addTextPositions(Graph& graph, const TextEncoderConfig& config, Value tokens) {
    const std::string name = "text_model.embeddings.position_embedding.weight";
    const Value positions = graph.add(Constant{Shape{config.positions, config.hiddenSize}}, {}, {name}, name);
    const Shape shape{1, config.positions, config.hiddenSize};
    return graph.add(Add{}, {tokens, graph.add(Reshape{shape}, {positions}, {}, name)}, {}, "text_model.embeddings");
}

Value addTextLayers(Graph& graph, const TextEncoderConfig& config, Value hidden, TextLayers layers) {
    const ModuleScope root(graph, "text_model.encoder.layers");
    const ClipLayer layer{config.hiddenSize, config.intermediateSize, config.heads,
                          config.activation, config.normEpsilon,      true};
    for (int i = layers.first; i < layers.first + layers.count; ++i)
        hidden = clipLayer(root.child(fmt::format("{}", i)), hidden, layer);
    return hidden;
}

Value addFinalTextNorm(Graph& graph, const TextEncoderConfig& config, Value hidden) {
    return ModuleScope(graph, "text_model").layerNorm("final_layer_norm", hidden, config.normEpsilon);
}

Value addTextProjection(Graph& graph, const TextEncoderConfig& config, Value normed) {
    return ModuleScope(graph, "").linear("text_projection", normed, config.projection, kFloatNoBias);
}

std::size_t pooledPosition(std::span<const int> tokens, int eosToken) {
    const auto end = eosToken == TextEncoderConfig::kLegacyEosToken ? std::ranges::max_element(tokens)
                                                                    : std::ranges::find(tokens, eosToken);
    return end == tokens.end() ? 0 : static_cast<std::size_t>(end - tokens.begin());
}

}  // namespace reelbrush::diffusion
