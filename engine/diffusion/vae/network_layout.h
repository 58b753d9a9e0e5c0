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

struct LayoutLimits {
    std::size_t ceilingBytes = 0;  ///< 0: none
    /// Values between pieces are stored beside the ceiling's memory: in the host's, of a device.
    bool storesApart = false;
    /// Of input and output of a tile's convolutions: above, smaller tiles are worth the overlap. As many as stay in a
    /// processor's cache, and are small enough for Winograd's algorithm, which needs them once more (measured).
    std::size_t convolutionBytes = std::size_t{6} << 20;
};

/// Neighbours that fit as a whole become one piece; the others are tiled, in as few tiles as fit. Values too large to
/// be stored are never cut at. Sizes are estimates, of values in f32. network: fused.
std::vector<LaidOutPiece> layOut(const kernels::Graph& network, const LayoutLimits& limits);

}  // namespace reelbrush::diffusion
