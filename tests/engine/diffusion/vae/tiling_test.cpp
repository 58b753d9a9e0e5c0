#include "engine/diffusion/vae/network_layout.h"
#include "engine/diffusion/vae/norm_statistics.h"
#include "engine/diffusion/vae/tile_grid.h"

#include <gtest/gtest.h>

#include <array>

namespace reelbrush::diffusion {
namespace {

using kernels::Graph;
using kernels::Value;

TEST(TileGrid, KeptSpansCoverAllOnceAndKeepTheirDistanceFromCuts) {
    for (const int unit : {1, 2})
        for (const int halo : {0, 2, 4, 6})
            for (int pixels = unit; pixels <= 130; pixels += 3 * unit)
                for (int count = 1; count <= 9; ++count) {
                    const TileReach reach{.halo = halo, .unit = unit};
                    const int length = tileLength(pixels, count, reach);
                    int done = 0;
                    for (const TileSpan& tile : tilesAlong(pixels, length, reach)) {
                        ASSERT_EQ(tile.keepBegin, done);
                        ASSERT_GT(tile.keepEnd, tile.keepBegin);
                        ASSERT_EQ(tile.start % unit, 0);
                        ASSERT_EQ(tile.keepEnd % unit, 0);
                        ASSERT_GE(tile.start, 0);
                        ASSERT_LE(tile.start + length, pixels);
                        ASSERT_TRUE(tile.start == 0 || tile.keepBegin - tile.start >= halo);
                        ASSERT_TRUE(tile.start + length == pixels || tile.start + length - tile.keepEnd >= halo);
                        done = tile.keepEnd;
                    }
                    ASSERT_EQ(done, pixels);
                }
}

kernels::Conv2d conv3x3(int channels, int stride = 1) {
    kernels::Conv2d op;
    op.outChannels = channels;
    op.stride = stride;
    return op;
}

NetworkPiece allOf(const Graph& graph) {
    return {0, graph.nodes().size(), graph.inputs()[0].second, graph.outputs()[0].second};
}

TEST(TileReach, CountsPixelsOfTheInput) {
    Graph up;
    Value x = up.add(kernels::UpsampleNearest{32, 48}, {up.input("x", {1, 16, 24, 4})});
    for (int i = 0; i < 3; ++i) x = up.add(conv3x3(4), {x}, {"w", "b"});
    up.output("y", x);
    TileReach reach = reachOf(up, allOf(up));
    EXPECT_EQ(reach.halo, 2);  // three pixels after doubling
    EXPECT_EQ(reach.unit, 1);
    EXPECT_EQ(reach.up, 2);

    Graph down;
    x = down.add(conv3x3(4), {down.input("x", {1, 16, 24, 4})}, {"w", "b"});
    x = down.add(conv3x3(4, 2), {x}, {"w", "b"});
    down.output("y", x);
    reach = reachOf(down, allOf(down));
    EXPECT_EQ(reach.halo, 2);
    EXPECT_EQ(reach.unit, 2);
    EXPECT_EQ(reach.down, 2);
}

/// Two residual blocks, a doubling, a convolution.
Graph smallNetwork(int size) {
    Graph graph;
    Value x = graph.input("x", {1, size, size, 8});
    for (int i = 0; i < 2; ++i) {
        const Value hidden = graph.add(kernels::GroupNorm{.groups = 2}, {x}, {"g", "b"});
        kernels::Conv2d last = conv3x3(8);
        last.hasResidual = true;
        x = graph.add(last, {graph.add(conv3x3(8), {hidden}, {"w", "b"}), x}, {"w", "b"});
    }
    x = graph.add(kernels::UpsampleNearest{2 * size, 2 * size}, {x});
    x = graph.add(conv3x3(4), {x}, {"w", "b"});
    graph.output("y", graph.add(kernels::Affine{}, {x}));
    return graph;
}

TEST(NetworkPieces, EndWhereOneValueIsLeft) {
    const Graph graph = smallNetwork(16);
    const auto pieces = piecesOf(graph);
    ASSERT_EQ(pieces.size(), 3u);
    EXPECT_EQ(pieces[0].endNode, 3u);
    EXPECT_EQ(pieces[1].firstNode, 3u);
    EXPECT_EQ(pieces[1].endNode, 6u);
    EXPECT_EQ(pieces[2].endNode, graph.nodes().size());
    EXPECT_EQ(normInputs(graph, pieces[1]), std::vector<Value>{pieces[0].output});
    for (const auto& piece : pieces) EXPECT_TRUE(isLocal(graph, piece));
}

TEST(NetworkLayout, TilesOnlyWhatDoesNotFit) {
    const Graph graph = smallNetwork(256);
    const std::size_t value = bytesOf({1, 256, 256, 8});
    EXPECT_EQ(layOut(graph, {0}).size(), 1u);
    EXPECT_EQ(layOut(graph, {100 * value}).size(), 1u);
    const auto tight = layOut(graph, {2 * value});
    ASSERT_GE(tight.size(), 2u);
    for (const auto& piece : tight) {
        ASSERT_TRUE(piece.isTiled);
        EXPECT_LT(piece.tiles.tileHeight * piece.tiles.tileWidth, 256 * 256);
    }
    // No room to store anything between: one piece.
    EXPECT_EQ(layOut(graph, {value}).size(), 1u);
    // No room at all: tiles as small as they get.
    for (const auto& piece : layOut(graph, {1})) EXPECT_GT(piece.tiles.tileHeight, 0);
}

TEST(NetworkLayout, AttentionIsNotTiled) {
    Graph graph;
    Value x = graph.input("x", {1, 64, 64, 8});
    x = graph.add(kernels::Reshape{{1, 4096, 8}}, {x});
    x = graph.add(kernels::Attention{.heads = 1, .headSize = 8}, {x, x, x});
    graph.output("y", graph.add(kernels::Reshape{{1, 64, 64, 8}}, {x}));
    const auto pieces = layOut(graph, {1000});
    ASSERT_EQ(pieces.size(), 1u);
    EXPECT_FALSE(pieces[0].isTiled);
}

TEST(NormStatistics, OfPartsAreThoseOfTheWhole) {
    NormStatistics statistics(4);
    const std::array<float, 8> first{1, 3, 1000, 1000, 5, 7, 1000, 1000};
    const std::array<float, 4> second{9, 11, 1003, 1003};
    statistics.add(first);
    statistics.add(second);
    std::array<float, 4> result{};
    statistics.finish(result);
    EXPECT_FLOAT_EQ(result[0], 6.0f);
    EXPECT_FLOAT_EQ(result[1], 1001.0f);
    EXPECT_FLOAT_EQ(result[2], 70.0f / 6.0f);
    EXPECT_FLOAT_EQ(result[3], 2.0f);
}

}  // namespace
}  // namespace reelbrush::diffusion
