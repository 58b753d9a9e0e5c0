#include "engine/diffusion/vae/tile_grid.h"

#include <algorithm>
#include <map>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

int roundedUp(int value, int unit) {
    return (value + unit - 1) / unit * unit;
}

/// Pixels of a value that are wrong next to a cut of the input.
int wrongAfter(const Op& op, int wrong) {
    if (std::holds_alternative<UpsampleNearest>(op)) return 2 * wrong;
    const auto* conv = std::get_if<Conv2d>(&op);
    if (!conv) return wrong;
    const int reach = std::max({conv->padTop, conv->padLeft, conv->padBottom, conv->padRight});
    return roundedUp(wrong + reach, conv->stride) / conv->stride;
}

}  // namespace

Scale scaleBetween(const Shape& from, const Shape& to) {
    if (to[1] >= from[1]) return {static_cast<int>(to[1] / from[1]), 1};
    return {1, static_cast<int>(from[1] / to[1])};
}

TileReach reachOf(const Graph& network, const NetworkPiece& piece) {
    std::map<int, int> wrong{{piece.input.index, 0}};
    TileReach reach;
    const Shape& input = network.shapeOf(piece.input);
    for (std::size_t i = piece.firstNode; i < piece.endNode; ++i) {
        const Node& node = network.nodes()[i];
        int most = 0;
        for (const Value value : node.inputs) most = std::max(most, wrong.at(value.index));
        wrong[node.output.index] = wrongAfter(node.op, most);
        const Scale scale = scaleBetween(input, network.shapeOf(node.output));
        reach.unit = std::max(reach.unit, scale.down);
    }
    const Scale scale = scaleBetween(input, network.shapeOf(piece.output));
    reach.up = scale.up;
    reach.down = scale.down;
    reach.halo = roundedUp(roundedUp(wrong.at(piece.output.index) * scale.down, scale.up) / scale.up, reach.unit);
    return reach;
}

int tileLength(int pixels, int count, const TileReach& reach) {
    const int length = roundedUp((pixels + 2 * reach.halo * (count - 1) + count - 1) / count, reach.unit);
    return length <= 2 * reach.halo ? pixels : std::min(pixels, length);
}

std::vector<TileSpan> tilesAlong(int pixels, int length, const TileReach& reach) {
    std::vector<TileSpan> tiles;
    for (int done = 0; done < pixels;) {
        TileSpan tile;
        tile.start = std::clamp(done - reach.halo, 0, pixels - length);
        tile.keepBegin = done;
        tile.keepEnd = tile.start + length == pixels ? pixels : tile.start + length - reach.halo;
        done = tile.keepEnd;
        tiles.push_back(tile);
    }
    return tiles;
}

}  // namespace reelbrush::diffusion
