#include "engine/diffusion/vae/codec_graphs.h"

#include "engine/diffusion/networks/autoencoder_kl.h"
#include "engine/diffusion/networks/tiny_autoencoder.h"

#include <fmt/format.h>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

Status checkSize(int width, int height, int reduction) {
    if (width > 0 && height > 0 && width % reduction == 0 && height % reduction == 0) return {};
    return fail(StatusCode::BadInput,
                fmt::format("the VAE takes sizes that are multiples of {}, got {}x{}", reduction, width, height));
}

Result<CodecGraphs> buildKl(const nlohmann::json& json, int width, int height, int frames) {
    RB_ASSIGN(const AutoencoderKlConfig config, AutoencoderKlConfig::fromJson(json));
    CodecGraphs graphs;
    graphs.latentChannels = config.latentChannels;
    graphs.reduction = config.reduction();
    graphs.scalingFactor = config.scalingFactor;
    RB_TRY(checkSize(width, height, graphs.reduction));
    const Value picture = graphs.encoder.input("picture", {frames, height, width, 3});
    const Value signedPicture = graphs.encoder.add(Affine{.scale = 2.0f, .offset = -1.0f}, {picture});
    graphs.encoder.output("latents", buildKlEncoder(graphs.encoder, config, signedPicture));
    const Value latents = graphs.decoder.input(
        "latents", {frames, height / graphs.reduction, width / graphs.reduction, config.latentChannels});
    const Value decoded = buildKlDecoder(graphs.decoder, config, latents);
    graphs.decoder.output("picture", graphs.decoder.add(Affine{.scale = 0.5f, .offset = 0.5f}, {decoded}));
    return graphs;
}

Result<CodecGraphs> buildTiny(const nlohmann::json& json, int width, int height, int frames) {
    RB_ASSIGN(const TinyAutoencoderConfig config, TinyAutoencoderConfig::fromJson(json));
    CodecGraphs graphs;
    graphs.latentChannels = config.latentChannels;
    graphs.reduction = config.reduction();
    RB_TRY(checkSize(width, height, graphs.reduction));
    const Value picture = graphs.encoder.input("picture", {frames, height, width, 3});
    graphs.encoder.output("latents", buildTinyEncoder(graphs.encoder, config, picture));
    const Value latents = graphs.decoder.input(
        "latents", {frames, height / graphs.reduction, width / graphs.reduction, config.latentChannels});
    graphs.decoder.output("picture", buildTinyDecoder(graphs.decoder, config, latents));
    return graphs;
}

}  // namespace

Result<CodecGraphs> buildCodec(const nlohmann::json& config, int width, int height, int frames) {
    const auto name = config.is_object() ? config.find("_class_name") : config.end();
    const bool isTiny = config.is_object() && name != config.end() && *name == "AutoencoderTiny";
    return isTiny ? buildTiny(config, width, height, frames) : buildKl(config, width, height, frames);
}

Graph inFloat(const Graph& graph) {
    Graph result = graph;
    std::vector<Node> nodes = graph.nodes();
    for (Node& node : nodes) {
        if (auto* conv = std::get_if<Conv2d>(&node.op)) conv->mayQuantise = false;
        if (auto* linear = std::get_if<Linear>(&node.op)) linear->mayQuantise = false;
    }
    result.replaceNodes(std::move(nodes));
    return result;
}

}  // namespace reelbrush::diffusion
