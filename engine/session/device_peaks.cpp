#include "engine/session/device_peaks.h"

#include "kernels/plan/plan.h"
#include "kernels/plan/random_weights.h"
#include "kernels/tensor/dtype.h"

#include <cstdint>
#include <utility>

namespace reelbrush::session {

namespace {

using namespace kernels;

constexpr int kSide = 8192;
constexpr int kRepeats = 10;
constexpr std::int64_t kCopied = std::int64_t{1} << 28, kCopiedOnProcessor = std::int64_t{1} << 25;

/// The fastest of the graph's only step.
Result<StepReport> fastest(Graph graph, Backend& backend) {
    const RandomWeights weights(graph);
    std::vector<std::string> inputs;
    for (const auto& [name, value] : graph.inputs()) inputs.push_back(name);
    RB_ASSIGN(Plan plan, Plan::compile(std::move(graph), weights, backend));
    RB_ASSIGN(const auto arena, backend.allocateArena(plan.arenaBytes()));
    RB_TRY(plan.bind({arena->data(), arena->sizeBytes()}));
    for (const std::string& name : inputs) {
        // Neither zero nor the same: both make some processors faster.
        std::uint32_t state = 1;
        for (float& value : plan.input(name)) {
            state = state * 1664525u + 1013904223u;
            value = static_cast<float>(state >> 8) * 0x1p-23f - 1.0f;
        }
    }
    RB_ASSIGN(const auto steps, plan.profile(kRepeats));
    RB_ENSURE(steps.size() == 1, "a graph of one step was compiled to another number");
    return steps.front();
}

}  // namespace

Result<double> measureBandwidth(Backend& backend) {
    const std::int64_t values = backend.device() ? kCopied : kCopiedOnProcessor;
    Graph copy;
    copy.output("y", copy.add(Affine{.scale = 0.5f}, {copy.input("x", {1, values / kSide, kSide})}, {}, "peak"));
    RB_ASSIGN(const StepReport copied, fastest(std::move(copy), backend));
    return copied.bytes * 1e-9 / copied.seconds;
}

Result<DevicePeaks> measureDevicePeaks(Backend& backend) {
    Graph product;
    Linear linear;
    linear.outFeatures = {kSide};
    product.output("y", product.add(linear, {product.input("x", {1, kSide, kSide})}, {"weight", ""}, "peak"));
    RB_ASSIGN(const StepReport multiplied, fastest(std::move(product), backend));

    RB_ASSIGN(const double bandwidth, measureBandwidth(backend));
    return DevicePeaks{multiplied.operations * 1e-9 / multiplied.seconds, bandwidth};
}

}  // namespace reelbrush::session
