#include "engine/diffusion/networks/tiny_autoencoder.h"

#include "engine/diffusion/networks/config_fields.h"
#include "engine/diffusion/networks/module_scope.h"

#include <fmt/format.h>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

/// Layers numbered as in the file, where activations and upsamplings take numbers too.
class LayerList {
  public:
    LayerList(Graph& graph, std::string name) : scope_(graph, std::move(name)) {}

    const ModuleScope& scope() const { return scope_; }
    void skip() { ++next_; }

    Value conv(Value x, int channels, ModuleScope::ConvOptions options) {
        return scope_.conv3x3(std::to_string(next_++), x, channels, options);
    }

    /// Three convolutions with ReLUs between them, plus the input (projected where the width changes), ReLU.
    Value block(Value x, int channels) {
        const ModuleScope inner = scope_.child(std::to_string(next_++));
        Value hidden = inner.activation(Activation::Relu, inner.conv3x3("conv.0", x, channels));
        hidden = inner.activation(Activation::Relu, inner.conv3x3("conv.2", hidden, channels));
        hidden = inner.conv3x3("conv.4", hidden, channels);
        if (inner.shapeOf(x).channels() != channels) x = inner.linear("skip", x, channels, {.bias = false});
        return inner.activation(Activation::Relu, inner.add(hidden, x));
    }

  private:
    ModuleScope scope_;
    int next_ = 0;
};

}  // namespace

Result<TinyAutoencoderConfig> TinyAutoencoderConfig::fromJson(const nlohmann::json& json) {
    const ConfigFields fields(json, "autoencoder configuration");
    TinyAutoencoderConfig config;
    RB_ASSIGN(config.inChannels, fields.positive("in_channels"));
    RB_ASSIGN(config.outChannels, fields.positive("out_channels"));
    RB_ASSIGN(config.latentChannels, fields.positive("latent_channels"));
    RB_ASSIGN(config.encoderBlocks, fields.positives("num_encoder_blocks", 0));
    RB_ASSIGN(config.decoderBlocks, fields.positives("num_decoder_blocks", 0));
    RB_ASSIGN(config.encoderChannels, fields.positives("encoder_block_out_channels", config.encoderBlocks.size()));
    RB_ASSIGN(config.decoderChannels, fields.positives("decoder_block_out_channels", config.decoderBlocks.size()));
    RB_ASSIGN(config.latentLimit, fields.number("latent_magnitude", 3.0f));
    RB_ASSIGN(const std::string activation, fields.text("act_fn", "relu"));
    RB_ASSIGN(const std::string upsampling, fields.text("upsample_fn", "nearest"));
    if (config.encoderBlocks.size() != config.decoderBlocks.size() || config.encoderBlocks.size() > 8)
        return fail(StatusCode::BadInput,
                    "autoencoder configuration: encoder and decoder must have 1 to 8 levels alike");
    if (activation != "relu" || upsampling != "nearest")
        return fail(StatusCode::Unsupported,
                    fmt::format("tiny autoencoders with activation '{}' and upsampling '{}' are not supported",
                                activation, upsampling));
    return config;
}

Value buildTinyEncoder(Graph& graph, const TinyAutoencoderConfig& config, Value x) {
    LayerList layers(graph, "encoder.layers");
    for (std::size_t level = 0; level < config.encoderBlocks.size(); ++level) {
        const int channels = config.encoderChannels[level];
        x = level == 0 ? layers.conv(x, channels, {.mayQuantise = false})
                       : layers.conv(x, channels, {.stride = 2, .bias = false});
        for (int i = 0; i < config.encoderBlocks[level]; ++i) x = layers.block(x, channels);
    }
    return layers.conv(x, config.latentChannels, {.mayQuantise = false});
}

Value buildTinyDecoder(Graph& graph, const TinyAutoencoderConfig& config, Value latents) {
    LayerList layers(graph, "decoder.layers");
    Value x = graph.add(SoftClamp{config.latentLimit}, {latents}, {}, "decoder.clamp");
    x = layers.conv(x, config.decoderChannels[0], {.mayQuantise = false});
    x = layers.scope().activation(Activation::Relu, x);
    layers.skip();
    for (std::size_t level = 0; level < config.decoderBlocks.size(); ++level) {
        const int channels = config.decoderChannels[level];
        for (int i = 0; i < config.decoderBlocks[level]; ++i) x = layers.block(x, channels);
        if (level + 1 == config.decoderBlocks.size()) return layers.conv(x, config.outChannels, {.mayQuantise = false});
        UpsampleNearest op;
        op.height = static_cast<int>(graph.shapeOf(x)[1]) * 2;
        op.width = static_cast<int>(graph.shapeOf(x)[2]) * 2;
        x = graph.add(op, {x}, {}, "decoder.upsample");
        layers.skip();
        x = layers.conv(x, channels, {.bias = false});
    }
    return x;
}

}  // namespace reelbrush::diffusion
