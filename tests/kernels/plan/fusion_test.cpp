#include "kernels/plan/fusion.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace reelbrush::kernels {
namespace {

std::string opsOf(const Graph& graph) {
    std::vector<const char*> names;
    for (const Node& node : graph.nodes()) names.push_back(nameOf(node.op));
    return fmt::format("{}", fmt::join(names, " "));
}

Value conv(Graph& graph, Value x, int channels, const std::string& name) {
    Conv2d op;
    op.outChannels = channels;
    return graph.add(op, {x}, {name + ".weight", name + ".bias"}, name);
}

Value linear(Graph& graph, Value x, int features, const std::string& name, bool bias = true) {
    Linear op;
    op.outFeatures = {features};
    return graph.add(op, {x}, {name + ".weight", bias ? name + ".bias" : ""}, name);
}

TEST(Fusion, AResnetBlockBecomesFourOps) {
    Graph graph;
    const Value x = graph.input("x", {1, 4, 4, 8});
    const Value embedding = graph.input("embedding", {1, 8});
    Value h = graph.add(GroupNorm{.groups = 4}, {x}, {"n1.weight", "n1.bias"});
    h = conv(graph, graph.add(ActivationOp{Activation::Silu}, {h}), 8, "conv1");
    h = graph.add(AddChannels{}, {h, embedding});
    h = graph.add(GroupNorm{.groups = 4}, {h}, {"n2.weight", "n2.bias"});
    h = conv(graph, graph.add(ActivationOp{Activation::Silu}, {h}), 8, "conv2");
    graph.output("y", graph.add(Add{}, {h, x}));
    fuse(graph);
    EXPECT_EQ(opsOf(graph), "group_norm conv2d group_norm conv2d");
    EXPECT_EQ(std::get<GroupNorm>(graph.nodes()[0].op).activation, Activation::Silu);
    EXPECT_TRUE(std::get<GroupNorm>(graph.nodes()[2].op).hasChannelAdd);
    EXPECT_TRUE(std::get<Conv2d>(graph.nodes()[3].op).hasResidual);
    EXPECT_EQ(graph.nodes()[3].inputs[1], x);
}

TEST(Fusion, QueriesKeysAndValuesBecomeOneProduct) {
    Graph graph;
    const Value x = graph.input("x", {1, 6, 8});
    const Value q = linear(graph, x, 8, "q", false);
    const Value k = linear(graph, x, 8, "k", false);
    const Value v = linear(graph, x, 8, "v", false);
    graph.output("y", graph.add(Attention{.heads = 2, .headSize = 4}, {q, k, v}));
    fuse(graph);
    EXPECT_EQ(opsOf(graph), "linear attention");
    EXPECT_EQ(std::get<Linear>(graph.nodes()[0].op).outFeatures, (std::vector<int>{8, 8, 8}));
    EXPECT_EQ(graph.nodes()[0].weights, (std::vector<std::string>{"q.weight", "k.weight", "v.weight", "", "", ""}));
    EXPECT_EQ(std::get<Attention>(graph.nodes()[1].op).channelOffsets, (std::vector<int>{0, 8, 16}));
}

TEST(Fusion, CrossAttentionJoinsKeysAndValuesOnly) {
    Graph graph;
    const Value x = graph.input("x", {1, 6, 8});
    const Value context = graph.input("context", {1, 3, 5});
    const Value q = linear(graph, x, 8, "q");
    const Value k = linear(graph, context, 8, "k");
    const Value v = linear(graph, context, 8, "v");
    graph.output("y", graph.add(Attention{.heads = 2, .headSize = 4}, {q, k, v}));
    fuse(graph);
    EXPECT_EQ(opsOf(graph), "linear linear attention");
    EXPECT_EQ(std::get<Attention>(graph.nodes()[2].op).channelOffsets, (std::vector<int>{0, 0, 8}));
}

TEST(Fusion, WhatSomebodyElseReadsIsNotMerged) {
    Graph graph;
    const Value x = graph.input("x", {1, 4, 4, 8});
    const Value h = conv(graph, x, 8, "conv");
    graph.output("activated", graph.add(ActivationOp{Activation::Relu}, {h}));
    graph.output("plain", h);
    fuse(graph);
    EXPECT_EQ(opsOf(graph), "conv2d activation");
}

TEST(Fusion, UnreadNodesDisappear) {
    Graph graph;
    const Value x = graph.input("x", {1, 4, 4, 8});
    conv(graph, conv(graph, x, 8, "unused1"), 8, "unused2");
    graph.output("y", conv(graph, x, 8, "used"));
    fuse(graph);
    ASSERT_EQ(graph.nodes().size(), 1u);
    EXPECT_EQ(graph.nodes()[0].name, "used");
}

TEST(Fusion, AResidualThatIsMadeLaterStillComesFirst) {
    Graph graph;
    const Value x = graph.input("x", {1, 4, 4, 8});
    const Value h = conv(graph, x, 8, "conv");
    const Value skip = graph.add(SoftClamp{1.0f}, {x});
    graph.output("y", graph.add(ActivationOp{Activation::Relu}, {graph.add(Add{}, {h, skip})}));
    fuse(graph);
    EXPECT_EQ(opsOf(graph), "soft_clamp conv2d");
    EXPECT_EQ(std::get<Conv2d>(graph.nodes()[1].op).activation, Activation::Relu);
}

TEST(Fusion, AnAdditionOfBatchOneIsNoResidual) {
    Graph graph;
    const Value x = graph.input("x", {2, 4, 4, 8});
    graph.output("y", graph.add(Add{}, {conv(graph, x, 8, "conv"), graph.input("bias", {1, 4, 4, 8})}));
    fuse(graph);
    EXPECT_EQ(opsOf(graph), "conv2d add");
}

}  // namespace
}  // namespace reelbrush::kernels
