#include "engine/diffusion/networks/run_once.h"

#include "kernels/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace reelbrush::diffusion {

using namespace kernels;

Result<NamedTensors> runOnce(Graph graph, const WeightProvider& weights, Backend& backend, const NamedTensors& inputs) {
    std::vector<std::string> inputNames, outputNames;
    for (const auto& [name, value] : graph.inputs()) inputNames.push_back(name);
    for (const auto& [name, value] : graph.outputs()) outputNames.push_back(name);

    RB_ASSIGN(Plan plan, Plan::compile(std::move(graph), weights, backend));
    RB_ASSIGN(const auto arena, backend.allocateArena(plan.arenaBytes()));
    RB_TRY(plan.bind({arena->data(), arena->sizeBytes()}));
    for (const std::string& name : inputNames) {
        const auto given = inputs.find(name);
        RB_ENSURE(given != inputs.end() && given->second.size() == plan.input(name).size(),
                  fmt::format("input '{}' was not fed with {} values", name, plan.input(name).size()));
        std::ranges::copy(given->second, plan.input(name).begin());
    }
    RB_TRY(plan.run());
    NamedTensors outputs;
    for (const std::string& name : outputNames) {
        const auto values = plan.output(name);
        outputs.emplace(name, std::vector<float>(values.begin(), values.end()));
    }
    return outputs;
}

}  // namespace reelbrush::diffusion
