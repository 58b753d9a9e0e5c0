#include "engine/diffusion/networks/ip_adapter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <utility>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

constexpr ModuleScope::LinearOptions kFloat{.mayQuantise = false};
constexpr ModuleScope::LinearOptions kFloatNoBias{.bias = false, .mayQuantise = false};
constexpr int kResamplerHeadSize = 64;  // of every published one

using Kind = ImageProjectionConfig::Kind;

Result<Shape> matrixShape(const WeightProvider& weights, const char* name) {
    RB_ASSIGN(const WeightView view, weights.find(name));
    if (view.shape.rank() == 2) return view.shape;
    return fail(StatusCode::BadInput,
                fmt::format("IP-Adapter: '{}' must be a matrix, got the shape {}", name, view.shape.toString()));
}

std::string blockName(const char* blocks, std::size_t index) {
    return fmt::format("{}.{}", blocks, index);
}

/// Of all spatial transformers of a block.
void appendAttentions(std::vector<std::string>& names, const std::string& block, int transformers, int layers) {
    for (int i = 0; i < transformers; ++i)
        for (int layer = 0; layer < layers; ++layer)
            names.push_back(fmt::format("{}.attentions.{}.transformer_blocks.{}.attn2", block, i, layer));
}

/// SDXL: the middle transformer of the coarsest up block (InstantStyle); SD 1.5: the coarsest up block that attends.
bool carriesStyle(const std::string& module, const UnetConfig& config) {
    if (config.pooledChannels > 0) return module.starts_with("up_blocks.0.attentions.1.");
    return module.starts_with("up_blocks.1.");
}

}  // namespace

Result<ImageProjectionConfig> ImageProjectionConfig::fromWeights(const WeightProvider& weights, int contextChannels) {
    ImageProjectionConfig config;
    config.contextChannels = contextChannels;
    std::int64_t width = 0;  // of the result
    if (weights.contains("latents")) {
        config.kind = Kind::Resampler;
        RB_ASSIGN(config.resampler, StyleResamplerConfig::fromWeights(weights, kResamplerHeadSize));
        config.embedChannels = config.resampler.embedChannels;
        config.tokens = config.resampler.queries;
        width = config.resampler.outChannels;
    } else {
        const bool isEachToken = weights.contains("proj.0.weight");
        config.kind = isEachToken ? Kind::EachToken : Kind::Embedding;
        RB_ASSIGN(const Shape first, matrixShape(weights, isEachToken ? "proj.0.weight" : "proj.weight"));
        RB_ASSIGN(const Shape last, matrixShape(weights, isEachToken ? "proj.2.weight" : "proj.weight"));
        config.embedChannels = static_cast<int>(first[1]);
        config.tokens = isEachToken ? 0 : static_cast<int>(last[0]) / contextChannels;
        width = isEachToken ? last[0] : last[0] / std::max(1, config.tokens);
    }
    if (width == contextChannels) return config;
    return fail(StatusCode::BadInput,
                fmt::format("IP-Adapter: its tokens are {} wide, but its attentions take {}", width, contextChannels));
}

Value buildImageProjection(Graph& graph, const ImageProjectionConfig& config, Value embeds) {
    const ModuleScope root(graph, "");
    switch (config.kind) {
        case Kind::Resampler:
            return buildStyleResampler(graph, config.resampler, embeds);
        case Kind::EachToken: {
            Value hidden = root.linear("proj.0", embeds, config.embedChannels, kFloat);
            hidden = root.activation(Activation::Gelu, hidden);
            return root.layerNorm("proj.3", root.linear("proj.2", hidden, config.contextChannels, kFloat));
        }
        case Kind::Embedding:
            break;
    }
    const Value all = root.linear("proj", embeds, config.tokens * config.contextChannels, kFloat);
    const Value tokens = graph.add(Reshape{{1, config.tokens, config.contextChannels}}, {all}, {}, "tokens");
    return root.layerNorm("norm", tokens);
}

std::vector<std::string> numberedCrossAttentions(const UnetConfig& config) {
    std::vector<std::string> names;
    const std::size_t levels = config.levels.size();
    for (std::size_t i = 0; i < levels; ++i) {
        const UnetLevel& level = config.levels[i];
        if (level.downHasAttention)
            appendAttentions(names, blockName("down_blocks", i), config.layersPerBlock, level.transformerLayers);
    }
    for (std::size_t i = 0; i < levels; ++i) {
        const UnetLevel& level = config.levels[levels - 1 - i];
        if (level.upHasAttention)
            appendAttentions(names, blockName("up_blocks", i), config.layersPerBlock + 1, level.transformerLayers);
    }
    appendAttentions(names, "mid_block", 1, config.levels.back().transformerLayers);
    return names;
}

UnetHooks withIpAdapter(UnetHooks hooks, Graph& graph, const UnetConfig& config, Value tokens, Value scale,
                        bool styleOnly) {
    auto numbers = std::make_shared<std::map<std::string, int, std::less<>>>();
    for (const std::string& module : numberedCrossAttentions(config)) {
        const int number = 2 * static_cast<int>(numbers->size()) + 1;
        numbers->emplace(module, number);
    }
    const auto look = [numbers, tokens, scale, &graph](const ModuleScope& scope, Value q, Value attended,
                                                       const AttentionShape& shape) {
        const ModuleScope own(graph, fmt::format("ip_adapter.{}", numbers->at(scope.name())));
        const Value k = own.linear("to_k_ip", tokens, shape.channels, kFloatNoBias);
        const Value v = own.linear("to_v_ip", tokens, shape.channels, kFloatNoBias);
        const Value seen = graph.add(ScaleBy{0}, {plainAttention(own, q, k, v, shape), scale});
        return scope.add(seen, attended);
    };
    hooks.attentions = [inner = hooks.attentions, look, config, styleOnly](const std::string& module) {
        AttentionHooks attention = inner ? inner(module) : AttentionHooks{};
        if (styleOnly && !carriesStyle(module + ".", config)) return attention;
        attention.cross = [before = attention.cross, look](const ModuleScope& scope, Value q, Value attended,
                                                           const AttentionShape& shape) {
            return look(scope, q, before ? before(scope, q, attended, shape) : attended, shape);
        };
        return attention;
    };
    return hooks;
}

}  // namespace reelbrush::diffusion
