#include "kernels/plan/random_weights.h"

#include "kernels/plan/plan.h"
#include "kernels/reference/reference_backend.h"
#include "kernels/tensor/buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace reelbrush::kernels {
namespace {

Graph deepGraph(int layers) {
    Graph graph;
    Value x = graph.input("x", {1, 16, 64});
    for (int i = 0; i < layers; ++i) {
        const std::string name = "layer" + std::to_string(i);
        x = graph.add(LayerNorm{}, {x}, {name + ".norm.weight", name + ".norm.bias"}, name);
        x = graph.add(Linear{.outFeatures = {64}}, {x}, {name + ".weight", name + ".bias"}, name);
    }
    graph.output("y", x);
    return graph;
}

std::vector<float> valuesOf(const RandomWeights& weights, std::string_view name) {
    const auto view = weights.find(name);
    if (!view) return {};
    std::vector<float> values(static_cast<std::size_t>(view->shape.elements()));
    view->toFloat(values.data());
    return values;
}

TEST(RandomWeights, ProductsHaveUnitGainAndNormsDoNothing) {
    const RandomWeights weights(deepGraph(1));
    const std::vector<float> product = valuesOf(weights, "layer0.weight");
    ASSERT_EQ(product.size(), 64u * 64u);
    double sum = 0.0, squares = 0.0, largest = 0.0;
    for (const float v : product) {
        sum += v;
        squares += double{v} * v;
        largest = std::max(largest, std::abs(double{v}));
    }
    const double count = static_cast<double>(product.size());
    EXPECT_NEAR(sum / count, 0.0, 0.01);
    EXPECT_NEAR(squares / count * 64.0, 1.0, 0.1);
    EXPECT_GT(largest * 8.0, 2.5) << "tails, as trained weights have them";
    EXPECT_EQ(valuesOf(weights, "layer0.norm.weight"), std::vector<float>(64, 1.0f));
    EXPECT_EQ(valuesOf(weights, "layer0.norm.bias"), std::vector<float>(64, 0.0f));
    EXPECT_EQ(valuesOf(weights, "layer0.bias"), std::vector<float>(64, 0.0f));
    EXPECT_EQ(weights.parameters(), 64 * 64 + 3 * 64);
}

TEST(RandomWeights, TheSameAgainUnlessSeedOrNameDiffer) {
    const Graph graph = deepGraph(2);
    const RandomWeights weights(graph), again(graph), other(graph, 2);
    const std::vector<float> first = valuesOf(weights, "layer0.weight");
    EXPECT_NE(valuesOf(weights, "layer1.weight"), first);
    EXPECT_EQ(valuesOf(weights, "layer0.weight"), first) << "made anew";
    EXPECT_EQ(valuesOf(again, "layer0.weight"), first);
    EXPECT_NE(valuesOf(other, "layer0.weight"), first);
}

TEST(RandomWeights, AViewOutlivesTheNextOne) {
    const RandomWeights weights(deepGraph(2));
    const auto view = weights.find("layer0.weight");
    ASSERT_TRUE(view);
    const std::vector<float> before = valuesOf(weights, "layer0.weight");
    ASSERT_TRUE(weights.find("layer1.weight"));
    std::vector<float> after(before.size());
    view->toFloat(after.data());
    EXPECT_EQ(after, before);
}

TEST(RandomWeights, UnknownNamesAreRefused) {
    const RandomWeights weights(deepGraph(1));
    EXPECT_FALSE(weights.contains("layer1.weight"));
    const auto view = weights.find("layer1.weight");
    ASSERT_FALSE(view);
    EXPECT_EQ(view.error().code, StatusCode::BadInput);
    EXPECT_NE(view.error().message.find("layer1.weight"), std::string::npos);
}

TEST(RandomWeights, ADeepModelStaysFinite) {
    Graph graph = deepGraph(50);
    const RandomWeights weights(graph);
    ReferenceBackend backend;
    auto plan = Plan::compile(std::move(graph), weights, backend);
    ASSERT_TRUE(plan) << plan.error().message;
    auto arena = Buffer::allocate(plan->arenaBytes(), nullptr, "test");
    ASSERT_TRUE(arena);
    ASSERT_TRUE(plan->bind({arena->data(), arena->sizeBytes()}));
    auto x = plan->input("x");
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i));
    ASSERT_TRUE(plan->run());
    double squares = 0.0;
    for (const float v : plan->output("y")) squares += double{v} * v;
    const double deviation = std::sqrt(squares / static_cast<double>(x.size()));
    EXPECT_GT(deviation, 0.5);
    EXPECT_LT(deviation, 2.0);
}

}  // namespace
}  // namespace reelbrush::kernels
