#include "kernels/plan/plan.h"

#include "kernels/reference/reference_backend.h"
#include "kernels/tensor/buffer.h"
#include "tests/kernels/support/compare.h"
#include "tests/kernels/support/memory_weights.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace reelbrush::kernels {
namespace {

/// A small network with every fusion in it. Where `keepAll`, all intermediates are outputs, so that nothing fuses.
Graph network(bool keepAll) {
    Graph graph;
    int kept = 0;
    const auto keep = [&](Value value) {
        if (keepAll) graph.output("kept" + std::to_string(kept++), value);
        return value;
    };
    const Value x = graph.input("x", {1, 4, 6, 8});
    const Value embedding = graph.input("embedding", {1, 8});
    Conv2d conv;
    conv.outChannels = 8;
    Value h = keep(graph.add(conv, {x}, {"conv1.weight", "conv1.bias"}, "conv1"));
    h = keep(graph.add(AddChannels{}, {h, embedding}));
    h = keep(graph.add(GroupNorm{.groups = 4}, {h}, {"norm.weight", "norm.bias"}));
    h = keep(graph.add(ActivationOp{Activation::Silu}, {h}));
    h = keep(graph.add(conv, {h}, {"conv2.weight", ""}, "conv2"));
    h = keep(graph.add(Add{}, {h, x}));
    h = keep(graph.add(ActivationOp{Activation::Relu}, {h}));
    const Value tokens = graph.add(Reshape{{1, 24, 8}}, {h});
    Linear project;
    project.outFeatures = {8};
    const Value q = keep(graph.add(project, {tokens}, {"q", ""}));
    const Value k = keep(graph.add(project, {tokens}, {"k", ""}));
    const Value v = keep(graph.add(project, {tokens}, {"v", ""}));
    const Value mixed = keep(graph.add(Attention{.heads = 2, .headSize = 4}, {q, k, v}));
    h = keep(graph.add(Add{}, {graph.add(project, {mixed}, {"out", "out.bias"}), tokens}));
    graph.output("y", graph.add(Reshape{{1, 4, 6, 8}}, {h}));
    return graph;
}

MemoryWeights networkWeights(std::uint64_t seed = 1) {
    MemoryWeights weights;
    for (const char* name : {"conv1", "conv2"}) {
        weights.add(std::string(name) + ".weight", randomTensor({8, 8, 3, 3}, seed++, -0.3f, 0.3f));
        weights.add(std::string(name) + ".bias", randomTensor({8}, seed++));
    }
    for (const char* name : {"norm.weight", "norm.bias", "out.bias"}) weights.add(name, randomTensor({8}, seed++));
    for (const char* name : {"q", "k", "v", "out"}) weights.add(name, randomTensor({8, 8}, seed++));
    return weights;
}

/// Compiles, runs once on fixed inputs, returns "y".
class PlanRun {
  public:
    explicit PlanRun(Graph graph, const WeightProvider& weights) {
        auto plan = Plan::compile(std::move(graph), weights, backend_);
        if (!plan) throw std::runtime_error(plan.error().message);
        plan_.emplace(std::move(*plan));
        auto arena = Buffer::allocate(plan_->arenaBytes(), nullptr, "test");
        arena_ = std::move(*arena);
        if (!plan_->bind({arena_.data(), arena_.sizeBytes()})) throw std::runtime_error("bind");
        std::ranges::copy(randomTensor({1, 4, 6, 8}, 100).values, plan_->input("x").begin());
        std::ranges::copy(randomTensor({1, 8}, 101).values, plan_->input("embedding").begin());
    }

    Plan& plan() { return *plan_; }
    std::vector<float> run() {
        if (!plan_->run()) throw std::runtime_error("run");
        const auto out = plan_->output("y");
        return {out.begin(), out.end()};
    }

  private:
    ReferenceBackend backend_;
    std::optional<Plan> plan_;
    Buffer arena_;
};

TEST(Plan, FusedAndUnfusedComputeTheSame) {
    const MemoryWeights weights = networkWeights();
    PlanRun fused(network(false), weights), plain(network(true), weights);
    EXPECT_LT(fused.plan().report().size(), plain.plan().report().size());
    const auto difference = compare(TestTensor{{1, 4, 6, 8}, fused.run()}, TestTensor{{1, 4, 6, 8}, plain.run()});
    report("fused against unfused", difference);
    EXPECT_LE(difference.maxRelative, 1e-6);
}

TEST(Plan, ReplaysGiveTheSameBitsAndKeepTheirInputs) {
    const MemoryWeights weights = networkWeights();
    PlanRun run(network(false), weights);
    const auto first = run.run();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(run.run(), first);
}

TEST(Plan, ReloadsOnlyTouchedWeights) {
    const MemoryWeights before = networkWeights(1);
    MemoryWeights after = networkWeights(1);
    after.add("k", randomTensor({8, 8}, 77));
    PlanRun run(network(false), before);
    const auto reloaded = run.plan().reloadWeights(after, {"k"});
    ASSERT_TRUE(reloaded);
    EXPECT_EQ(*reloaded, 1u) << "the joint Q|K|V product alone";
    EXPECT_EQ(run.run(), PlanRun(network(false), after).run());
}

TEST(Plan, CancelStopsBetweenSteps) {
    const MemoryWeights weights = networkWeights();
    PlanRun run(network(false), weights);
    int asked = 0;
    const auto status = run.plan().run([&] { return ++asked == 3; });
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, StatusCode::Cancelled);
    EXPECT_EQ(asked, 3);
}

TEST(Plan, MissingWeightsAreNamedWithTheirModule) {
    MemoryWeights weights;
    ReferenceBackend backend;
    const auto plan = Plan::compile(network(false), weights, backend);
    ASSERT_FALSE(plan);
    EXPECT_NE(plan.error().message.find("conv1"), std::string::npos) << plan.error().message;
}

TEST(Plan, AMistakeInTheGraphIsReported) {
    Graph graph;
    graph.add(PixelShuffle{2}, {graph.input("x", {1, 2, 2, 3})}, {}, "shuffle");
    ReferenceBackend backend;
    EXPECT_FALSE(Plan::compile(std::move(graph), MemoryWeights(), backend));
}

}  // namespace
}  // namespace reelbrush::kernels
