#include "kernels/plan/graph.h"

#include <gtest/gtest.h>

namespace reelbrush::kernels {
namespace {

TEST(Graph, ShapesFollowTheOps) {
    Graph graph;
    const Value x = graph.input("x", {1, 17, 20, 3});
    Conv2d conv;
    conv.outChannels = 8;
    conv.stride = 2;
    const Value y = graph.add(conv, {x}, {"w", "b"});
    EXPECT_EQ(graph.shapeOf(y), (Shape{1, 9, 10, 8}));
    EXPECT_EQ(graph.shapeOf(graph.add(PixelUnshuffle{5}, {graph.input("z", {2, 10, 15, 3})})), (Shape{2, 2, 3, 75}));
    EXPECT_TRUE(graph.status());
}

TEST(Graph, TheFirstMistakeIsKeptWithItsNodesName) {
    Graph graph;
    const Value x = graph.input("x", {1, 8, 8, 30});
    graph.add(GroupNorm{}, {x}, {"g", "b"}, "down.norm");
    graph.add(PixelShuffle{7}, {x}, {}, "later");
    ASSERT_FALSE(graph.status());
    EXPECT_EQ(graph.status().error().code, StatusCode::BadInput);
    EXPECT_NE(graph.status().error().message.find("down.norm"), std::string::npos);
    EXPECT_NE(graph.status().error().message.find("[1,8,8,30]"), std::string::npos);
}

TEST(Graph, ConcatRepeatsBatchOne) {
    Graph graph;
    const Value a = graph.input("a", {1, 4, 4, 3});
    const Value b = graph.input("b", {2, 4, 4, 5});
    EXPECT_EQ(graph.shapeOf(graph.add(ConcatChannels{}, {a, b})), (Shape{2, 4, 4, 8}));
    graph.add(ConcatChannels{}, {b, graph.input("c", {3, 4, 4, 5})});
    EXPECT_FALSE(graph.status());
}

TEST(Graph, AxesAreSwappedOfFourOnly) {
    Graph graph;
    const Value frames = graph.input("frames", {2, 16, 64, 320});
    EXPECT_EQ(graph.shapeOf(graph.add(SwapAxes{}, {frames})), (Shape{2, 64, 16, 320}));
    EXPECT_TRUE(graph.status());
    graph.add(SwapAxes{}, {graph.input("tokens", {2, 16, 320})});
    EXPECT_FALSE(graph.status());
}

TEST(Graph, AFactorOutsideTheListIsRefused) {
    for (const int index : {-1, 2}) {
        Graph graph;
        const Value x = graph.input("x", {1, 5}), factors = graph.input("factors", {2});
        EXPECT_EQ(graph.shapeOf(graph.add(ScaleBy{1}, {x, factors})), (Shape{1, 5}));
        EXPECT_TRUE(graph.status());
        graph.add(ScaleBy{index}, {x, factors});
        EXPECT_FALSE(graph.status()) << index;
    }
}

}  // namespace
}  // namespace reelbrush::kernels
