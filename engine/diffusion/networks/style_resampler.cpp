#include "engine/diffusion/networks/style_resampler.h"

#include "engine/diffusion/networks/module_scope.h"

#include <fmt/format.h>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

constexpr ModuleScope::LinearOptions kFloat{.mayQuantise = false};
constexpr ModuleScope::LinearOptions kFloatNoBias{.bias = false, .mayQuantise = false};

/// Queries look at the image tokens and at themselves.
Value perceive(const ModuleScope& scope, Value image, Value queries, const StyleResamplerConfig& config) {
    const int inner = config.heads * config.headSize;
    const Value normedImage = scope.layerNorm("ln0", image);
    const Value normedQueries = scope.layerNorm("ln1", queries);
    const Value context = scope.graph().add(ConcatTokens{}, {normedImage, normedQueries}, {}, scope.nameOf("context"));
    const ModuleScope inside = scope.child("attn");
    Attention op;
    op.heads = config.heads;
    op.headSize = config.headSize;
    const Value q = inside.linear("to_q", normedQueries, inner, kFloatNoBias);
    const Value k = inside.linear("to_k", context, inner, kFloatNoBias);
    const Value v = inside.linear("to_v", context, inner, kFloatNoBias);
    const Value mixed = scope.graph().add(op, {q, k, v}, {}, inside.nameOf("attention"));
    return scope.add(inside.linear("to_out.0", mixed, config.hiddenChannels, kFloatNoBias), queries);
}

Value feedForward(const ModuleScope& scope, Value x, const StyleResamplerConfig& config) {
    Value hidden = scope.linear("ff.1.net.0.proj", scope.layerNorm("ff.0", x), config.hiddenChannels * 4, kFloatNoBias);
    hidden = scope.activation(Activation::Gelu, hidden);
    return scope.add(scope.linear("ff.1.net.2", hidden, config.hiddenChannels, kFloatNoBias), x);
}

}  // namespace

Result<StyleResamplerConfig> StyleResamplerConfig::fromWeights(const WeightProvider& weights, int headSize) {
    StyleResamplerConfig config;
    RB_ASSIGN(const WeightView latents, weights.find("latents"));
    RB_ASSIGN(const WeightView projIn, weights.find("proj_in.weight"));
    RB_ASSIGN(const WeightView projOut, weights.find("proj_out.weight"));
    RB_ASSIGN(const WeightView query, weights.find("layers.0.attn.to_q.weight"));
    if (latents.shape.rank() != 3 || projIn.shape.rank() != 2 || projOut.shape.rank() != 2 || query.shape.rank() != 2 ||
        query.shape[0] % headSize != 0)
        return fail(StatusCode::BadInput, "style resampler: its weights do not have the shapes of an IP-Adapter Plus");
    config.queries = static_cast<int>(latents.shape[1]);
    config.hiddenChannels = static_cast<int>(projIn.shape[0]);
    config.embedChannels = static_cast<int>(projIn.shape[1]);
    config.outChannels = static_cast<int>(projOut.shape[0]);
    config.headSize = headSize;
    config.heads = static_cast<int>(query.shape[0]) / headSize;
    config.depth = 0;
    while (weights.contains(fmt::format("layers.{}.ln0.weight", config.depth))) ++config.depth;
    return config;
}

Value buildStyleResampler(Graph& graph, const StyleResamplerConfig& config, Value imageTokens) {
    const ModuleScope root(graph, "");
    const Value image = root.linear("proj_in", imageTokens, config.hiddenChannels, kFloat);
    Value queries = graph.add(Constant{{1, config.queries, config.hiddenChannels}}, {}, {"latents"}, "latents");
    const std::int64_t batch = graph.shapeOf(imageTokens).batch();
    if (batch > 1) queries = graph.add(RepeatBatch{static_cast<int>(batch)}, {queries});
    for (int i = 0; i < config.depth; ++i) {
        const ModuleScope layer = root.child(fmt::format("layers.{}", i));
        queries = feedForward(layer, perceive(layer, image, queries, config), config);
    }
    return root.layerNorm("norm_out", root.linear("proj_out", queries, config.outChannels, kFloat));
}

}  // namespace reelbrush::diffusion
