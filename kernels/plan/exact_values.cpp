#include "kernels/plan/exact_values.h"

#include <variant>

namespace reelbrush::kernels {

bool readsExactly(const Op& op, std::size_t input) {
    if (std::holds_alternative<TimestepEmbedding>(op)) return true;
    if (std::holds_alternative<ScaleBy>(op)) return input == 1;
    if (const auto* norm = std::get_if<GroupNorm>(&op))
        return norm->hasStatistics && input == (norm->hasChannelAdd ? 2u : 1u);
    return false;
}

std::vector<bool> exactValues(const Graph& graph) {
    std::vector<bool> exact(graph.valueCount());
    for (const Node& node : graph.nodes())
        for (std::size_t i = 0; i < node.inputs.size(); ++i)
            if (readsExactly(node.op, i)) exact[static_cast<std::size_t>(node.inputs[i].index)] = true;
    return exact;
}

}  // namespace reelbrush::kernels
