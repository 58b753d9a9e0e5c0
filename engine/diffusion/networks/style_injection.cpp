#include "engine/diffusion/networks/style_injection.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

/// The up blocks that attend, but for the coarsest: that one decides what is where.
std::vector<std::string> injectedBlocks(const UnetConfig& config) {
    std::vector<std::string> blocks;
    for (std::size_t i = 0; i < config.levels.size(); ++i)
        if (config.levels[config.levels.size() - 1 - i].upHasAttention)
            blocks.push_back(fmt::format("up_blocks.{}.", i));
    if (blocks.size() > 1) blocks.erase(blocks.begin());
    return blocks;
}

/// softmax(mix[0] q_frame K^T + mix[1] q K^T) V for the painting, plain attention for the frame.
class InjectedAttention {
  public:
    InjectedAttention(Graph& graph, Value mix, std::vector<InjectedLayer>& layers)
        : graph_(&graph), mix_(mix), layers_(&layers) {}

    Value operator()(const ModuleScope& scope, Value q, Value k, Value v, const AttentionShape& shape) const {
        const int paintings = static_cast<int>(scope.shapeOf(q).batch()) - 1;
        const auto frameOf = [&](Value all) { return graph_->add(SliceBatch{0, 1}, {all}); };
        const Value frameQuery = frameOf(q), frameKey = frameOf(k), frameValue = frameOf(v);
        InjectedLayer layer{scope.name(), scope.shapeOf(frameKey)};
        graph_->output(layer.keyName(), frameKey);
        graph_->output(layer.valueName(), frameValue);
        const Value styleKey = graph_->input(layer.keyName(), layer.shape);
        const Value styleValue = graph_->input(layer.valueName(), layer.shape);
        layers_->push_back(std::move(layer));

        const Value own = graph_->add(ScaleBy{1}, {graph_->add(SliceBatch{1, paintings}, {q}), mix_});
        const Value query = graph_->add(Add{}, {own, graph_->add(ScaleBy{0}, {frameQuery, mix_})});
        const Value frame = plainAttention(scope, frameQuery, frameKey, frameValue, shape);
        const Value painting = plainAttention(scope, query, styleKey, styleValue, shape);
        return graph_->add(ConcatBatch{}, {frame, painting}, {}, scope.nameOf("injection"));
    }

  private:
    Graph* graph_;
    Value mix_;
    std::vector<InjectedLayer>* layers_;
};

}  // namespace

UnetHooks withStyleInjection(UnetHooks hooks, Graph& graph, const UnetConfig& config,
                             std::vector<InjectedLayer>& layers) {
    const InjectedAttention injected(graph, graph.input(kInjectionMix, {2}), layers);
    hooks.attentions = [inner = hooks.attentions, blocks = injectedBlocks(config),
                        injected](const std::string& module) {
        AttentionHooks attention = inner ? inner(module) : AttentionHooks{};
        for (const std::string& block : blocks)
            if (module.starts_with(block)) attention.self = injected;
        return attention;
    };
    return hooks;
}

}  // namespace reelbrush::diffusion
