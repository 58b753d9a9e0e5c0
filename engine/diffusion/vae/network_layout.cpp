#include "engine/diffusion/vae/network_layout.h"

#include <algorithm>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

std::size_t wholeBytes(const Graph& network, const NetworkPiece& piece) {
    const Shape& input = network.shapeOf(piece.input);
    return estimatedBytes(graphOf(network, piece, {static_cast<int>(input[1]), static_cast<int>(input[2])}));
}

/// Cuts the longer side until the tiles fit, or are hardly larger than their overlap.
TiledPiece::Options tilesFor(const Graph& network, const NetworkPiece& piece, TiledPiece::Options options,
                             std::size_t ceilingBytes) {
    const Shape& input = network.shapeOf(piece.input);
    const TileReach reach = reachOf(network, piece);
    const int height = static_cast<int>(input[1]), width = static_cast<int>(input[2]);
    const int shortest = 4 * reach.halo + reach.unit;
    int rows = 1, columns = 1;
    options.tileHeight = height;
    options.tileWidth = width;
    while (estimatedTiledBytes(network, piece, options) > ceilingBytes) {
        const int nextHeight = tileLength(height, rows + 1, reach), nextWidth = tileLength(width, columns + 1, reach);
        const bool mayCutRows = nextHeight >= shortest && nextHeight < options.tileHeight;
        const bool mayCutColumns = nextWidth >= shortest && nextWidth < options.tileWidth;
        if (!mayCutRows && !mayCutColumns) break;
        if (mayCutRows && (options.tileHeight >= options.tileWidth || !mayCutColumns)) {
            ++rows;
            options.tileHeight = nextHeight;
        } else {
            ++columns;
            options.tileWidth = nextWidth;
        }
    }
    return options;
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

std::vector<LaidOutPiece> layOut(const Graph& network, std::size_t ceilingBytes) {
    if (ceilingBytes == 0)
        return {{{0, network.nodes().size(), network.inputs()[0].second, network.outputs()[0].second}, false}};
    std::vector<LaidOutPiece> pieces = grouped(network, ceilingBytes);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (!pieces[i].isTiled) continue;
        const TiledPiece::Options stored{0, 0, i > 0, i + 1 < pieces.size()};
        pieces[i].tiles = tilesFor(network, pieces[i].piece, stored, ceilingBytes);
    }
    return pieces;
}

}  // namespace reelbrush::diffusion
