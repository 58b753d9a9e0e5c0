#include "engine/diffusion/vae/network_layout.h"

#include <compare>
#include <cstdint>
#include <limits>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

std::size_t wholeBytes(const Graph& network, const NetworkPiece& piece) {
    return estimatedBytes(wholeGraphOf(network, piece));
}

/// Pixels that all tiles together compute along one side.
std::int64_t computedAlong(int pixels, int length, const TileReach& reach) {
    return static_cast<std::int64_t>(tilesAlong(pixels, length, reach).size()) * length;
}

/// What is wrong with tiles, the worst first; less is better.
struct TileCost {
    std::size_t bytes = std::numeric_limits<std::size_t>::max();  ///< above the ceiling
    std::size_t convolutionBytes = 0;                             ///< of the largest, above what is favoured
    std::int64_t computedPixels = 0;
    auto operator<=>(const TileCost&) const = default;
    bool isFit() const { return bytes == 0 && convolutionBytes == 0; }
};

std::size_t above(std::size_t value, std::size_t limit) {
    return value > limit ? value - limit : 0;
}

TiledPiece::Options tilesFor(const Graph& network, const NetworkPiece& piece, TiledPiece::Options options,
                             const LayoutLimits& limits) {
    constexpr int kMostTilesAlong = 64;
    const Shape& input = network.shapeOf(piece.input);
    const TileReach reach = reachOf(network, piece);
    const int height = static_cast<int>(input[1]), width = static_cast<int>(input[2]);
    // Smaller ones would compute most of their pixels in vain.
    const int shortest = 4 * reach.halo + reach.unit;
    TiledPiece::Options best;
    TileCost bestCost;
    for (int rows = 1; rows <= kMostTilesAlong; ++rows) {
        options.tileHeight = tileLength(height, rows, reach);
        if (rows > 1 && options.tileHeight < shortest) break;
        for (int columns = 1; columns <= kMostTilesAlong; ++columns) {
            options.tileWidth = tileLength(width, columns, reach);
            if (columns > 1 && options.tileWidth < shortest) break;
            const Graph tile = graphOf(
                network, piece, {.height = options.tileHeight, .width = options.tileWidth, .givenStatistics = true});
            const TileCost cost{
                above(storedBytes(network, piece, options) + estimatedBytes(tile), limits.ceilingBytes),
                above(largestProductBytes(tile), limits.convolutionBytes),
                computedAlong(height, options.tileHeight, reach) * computedAlong(width, options.tileWidth, reach)};
            if (cost < bestCost) {
                bestCost = cost;
                best = options;
            }
            if (cost.isFit()) break;
        }
    }
    return best;
}

/// A value that leaves no room for tiles beside it is not worth storing.
bool isStorable(const Shape& shape, std::size_t ceilingBytes) {
    return bytesOf(shape) <= ceilingBytes - ceilingBytes / 6;
}

std::vector<LaidOutPiece> grouped(const Graph& network, std::size_t ceilingBytes) {
    std::vector<LaidOutPiece> groups;
    for (const NetworkPiece& piece : piecesOf(network)) {
        const bool isTiled = wholeBytes(network, piece) > ceilingBytes && isLocal(network, piece);
        if (!groups.empty()) {
            LaidOutPiece& last = groups.back();
            const NetworkPiece both = joined(last.piece, piece);
            const bool isGrowing = !isTiled && !last.isTiled && wholeBytes(network, both) <= ceilingBytes;
            const bool mustJoin =
                last.isTiled && isLocal(network, piece) && !isStorable(network.shapeOf(piece.input), ceilingBytes);
            if (isGrowing || mustJoin) {
                last.piece = both;
                continue;
            }
        }
        groups.push_back({piece, isTiled});
    }
    return groups;
}

}  // namespace

std::vector<LaidOutPiece> layOut(const Graph& network, const LayoutLimits& limits) {
    if (limits.ceilingBytes == 0)
        return {{{0, network.nodes().size(), network.inputs()[0].second, network.outputs()[0].second}, false}};
    std::vector<LaidOutPiece> pieces = grouped(network, limits.ceilingBytes);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (!pieces[i].isTiled) continue;
        const bool isStored = !limits.storesApart;
        const TiledPiece::Options stored{0, 0, isStored && i > 0, isStored && i + 1 < pieces.size()};
        pieces[i].tiles = tilesFor(network, pieces[i].piece, stored, limits);
    }
    return pieces;
}

}  // namespace reelbrush::diffusion
