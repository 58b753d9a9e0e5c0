#pragma once

#include "engine/diffusion/vae/tiled_piece.h"

#include <cstddef>
#include <vector>

namespace reelbrush::diffusion {

/// How a network is cut so that it stays below a ceiling.
struct LaidOutPiece {
    NetworkPiece piece;
    bool isTiled = false;
    TiledPiece::Options tiles{};  ///< where it is tiled
};

/// Neighbours that fit as a whole become one piece; the others are tiled, in as few tiles as fit. Values too large to
/// be stored are never cut at. Sizes are estimates. network: fused. ceilingBytes 0: none.
std::vector<LaidOutPiece> layOut(const kernels::Graph& network, std::size_t ceilingBytes);

}  // namespace reelbrush::diffusion
