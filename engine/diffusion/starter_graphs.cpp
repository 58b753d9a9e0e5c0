#include "engine/diffusion/starter_graphs.h"

#include "engine/diffusion/networks/unet_graph.h"

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

Shape latentShape(const StarterModel& model, const StarterShape& shape) {
    return {shape.frames, shape.height / model.reduction(), shape.width / model.reduction(), model.latentChannels()};
}

}  // namespace

Graph starterEncodeGraph(const StarterModel& model, const StarterShape& shape) {
    Graph graph;
    // The model takes 2x - 1, its autoencoder halves that back to [0,1]: the two cancel.
    const Value picture = graph.input("picture", {shape.frames, shape.height, shape.width, 3});
    const Value folded = graph.add(PixelUnshuffle{StarterModel::kPixelUnshuffle}, {picture});
    graph.output("latents", buildTinyEncoder(graph, model.vaeConfig, folded));
    return graph;
}

Graph starterDenoiseGraph(const StarterModel& model, const StarterShape& shape) {
    Graph graph;
    const Shape latent = latentShape(model, shape);
    const Value latents = graph.input("latents", latent);
    const Value structure = graph.input("structure", latent);
    UnetInputs inputs;
    inputs.conditions.timestep = graph.input("timestep", {1});
    inputs.conditions.label = graph.input("freedom", {1});
    inputs.context =
        graph.input("tokens", {shape.contexts(), model.resamplerConfig.queries, model.unetConfig.contextChannels});
    inputs.latents = graph.add(ConcatChannels{}, {latents, structure});
    graph.output("prediction", buildUnet(graph, model.unetConfig, inputs));
    return graph;
}

Graph starterDecodeGraph(const StarterModel& model, const StarterShape& shape) {
    Graph graph;
    const Value latents = graph.input("latents", latentShape(model, shape));
    const Value folded = buildTinyDecoder(graph, model.vaeConfig, latents);
    const Value picture = graph.add(PixelShuffle{StarterModel::kPixelUnshuffle}, {folded});
    // The autoencoder's 2y - 1 and the model's y/2 + 0.5 cancel as well.
    graph.output("picture", graph.add(Affine{.low = 0.0f, .high = 1.0f}, {picture}));
    return graph;
}

Graph starterVisionGraph(const StarterModel& model) {
    Graph graph;
    const int size = model.imageEncoderConfig.imageSize;
    const Value picture = graph.input("picture", {1, size, size, 3});
    graph.output("hidden", buildVisionEncoder(graph, model.imageEncoderConfig, picture));
    return graph;
}

Graph starterResamplerGraph(const StarterModel& model) {
    Graph graph;
    const Value hidden =
        graph.input("hidden", {1, model.imageEncoderConfig.tokens(), model.imageEncoderConfig.hiddenSize});
    graph.output("tokens", buildStyleResampler(graph, model.resamplerConfig, hidden));
    return graph;
}

}  // namespace reelbrush::diffusion
