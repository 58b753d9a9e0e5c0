#include "kernels/plan/weight_shapes.h"

#include "kernels/plan/fusion.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace reelbrush::kernels {
namespace {

/// A norm, a convolution without bias, a product that is used twice, and a constant.
Graph smallGraph() {
    Graph graph;
    Value x = graph.input("x", {1, 8, 8, 4});
    GroupNorm norm;
    norm.groups = 2;
    x = graph.add(norm, {x}, {"norm.weight", "norm.bias"}, "norm");
    Conv2d convolution;
    convolution.outChannels = 6;
    convolution.hasBias = false;
    x = graph.add(convolution, {x}, {"conv.weight"}, "conv");
    Linear linear;
    linear.outFeatures = {6};
    x = graph.add(linear, {x}, {"fc.weight", "fc.bias"}, "fc");
    x = graph.add(linear, {x}, {"fc.weight", ""}, "again");
    const Value shift = graph.add(Constant{{1, 6}}, {}, {"shift"}, "shift");
    graph.output("y", graph.add(AddChannels{}, {x, shift}));
    return graph;
}

TEST(WeightsOf, ListsEveryNamedWeightOnceWithItsShapeAndRole) {
    const Graph graph = smallGraph();
    ASSERT_TRUE(graph.status()) << graph.status().error().message;
    const std::vector<NamedWeight> weights = weightsOf(graph);
    const std::vector<std::pair<std::string, WeightNeed>> expected{
        {"norm.weight", {{4}, WeightRole::Gamma}},
        {"norm.bias", {{4}, WeightRole::Beta}},
        {"conv.weight", {{6, 4, 3, 3}, WeightRole::Product}},
        {"fc.weight", {{6, 6}, WeightRole::Product}},
        {"fc.bias", {{6}, WeightRole::Bias}},
        {"shift", {{1, 6}, WeightRole::Constant}},
    };
    ASSERT_EQ(weights.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(weights[i].name, expected[i].first);
        EXPECT_EQ(weights[i].need.shape, expected[i].second.shape) << expected[i].first;
        EXPECT_EQ(weights[i].need.role, expected[i].second.role) << expected[i].first;
    }
}

TEST(WeightsOf, FusionChangesNoWeight) {
    Graph graph;
    const Value x = graph.input("x", {1, 5, 8});
    const auto project = [&](const char* name, int features) {
        return graph.add(Linear{.outFeatures = {features}}, {x}, {std::string(name) + ".weight", ""}, name);
    };
    const Value q = project("q", 8), k = project("k", 8), v = project("v", 8);
    Attention attention;
    attention.headSize = 8;
    graph.output("y", graph.add(attention, {q, k, v}));
    const std::vector<NamedWeight> before = weightsOf(graph);
    fuse(graph);
    ASSERT_LT(graph.nodes().size(), 4u);
    const std::vector<NamedWeight> after = weightsOf(graph);
    ASSERT_EQ(after.size(), before.size());
    for (const NamedWeight& weight : before)
        EXPECT_TRUE(std::ranges::any_of(after, [&](const NamedWeight& other) {
            return other.name == weight.name && other.need.shape == weight.need.shape;
        })) << weight.name;
}

}  // namespace
}  // namespace reelbrush::kernels
