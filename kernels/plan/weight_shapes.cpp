#include "kernels/plan/weight_shapes.h"

#include <algorithm>
#include <set>

namespace reelbrush::kernels {

namespace {

struct NeedsOf {
    std::span<const Shape> inputs;

    std::vector<WeightNeed> operator()(const Conv2d& op) const {
        std::vector<WeightNeed> needs{{{op.outChannels, inputs[0].channels(), op.kernelHeight, op.kernelWidth}}};
        if (op.hasBias) needs.push_back({{op.outChannels}, WeightRole::Bias});
        return needs;
    }
    std::vector<WeightNeed> operator()(const Linear& op) const {
        std::vector<WeightNeed> needs;
        for (const int features : op.outFeatures) needs.push_back({{features, inputs[0].channels()}});
        for (const int features : op.outFeatures) needs.push_back({{features}, WeightRole::Bias});
        return needs;
    }
    std::vector<WeightNeed> operator()(const GroupNorm&) const { return gammaAndBeta(); }
    std::vector<WeightNeed> operator()(const LayerNorm&) const { return gammaAndBeta(); }
    std::vector<WeightNeed> operator()(const Constant& op) const { return {{op.shape, WeightRole::Constant}}; }
    template <typename Weightless>
    std::vector<WeightNeed> operator()(const Weightless&) const {
        return {};
    }

    std::vector<WeightNeed> gammaAndBeta() const {
        return {{{inputs[0].channels()}, WeightRole::Gamma}, {{inputs[0].channels()}, WeightRole::Beta}};
    }
};

}  // namespace

std::vector<WeightNeed> weightNeeds(const Op& op, std::span<const Shape> inputs) {
    return std::visit(NeedsOf{inputs}, op);
}

std::vector<NamedWeight> weightsOf(const Graph& graph) {
    std::vector<NamedWeight> result;
    std::set<std::string_view> seen;
    for (const Node& node : graph.nodes()) {
        std::vector<Shape> shapes;
        for (const Value input : node.inputs) shapes.push_back(graph.shapeOf(input));
        const std::vector<WeightNeed> needs = weightNeeds(node.op, shapes);
        for (std::size_t i = 0; i < std::min(needs.size(), node.weights.size()); ++i)
            if (!node.weights[i].empty() && seen.insert(node.weights[i]).second)
                result.push_back({node.weights[i], needs[i]});
    }
    return result;
}

}  // namespace reelbrush::kernels
