#pragma once

#include "engine/diffusion/vae/network_pieces.h"

#include <vector>

namespace reelbrush::diffusion {

/// How far pixels of a local piece see, in pixels of its input.
struct TileReach {
    int halo = 0;          ///< pixels next to a cut that are wrong because what lies beyond it is missing
    int unit = 1;          ///< tiles begin and end on multiples of it
    int up = 1, down = 1;  ///< size of the output: size of the input * up / down
};

/// piece: local (isLocal).
TileReach reachOf(const kernels::Graph& network, const NetworkPiece& piece);

/// Size of `to` over the size of `from`, both in [N,H,W,C]: {up, down}, one of them 1.
struct Scale {
    int up = 1, down = 1;
    int of(int pixels) const { return pixels * up / down; }
};
Scale scaleBetween(const kernels::Shape& from, const kernels::Shape& to);

/// A tile along one axis, in pixels of the input: it reads [start, start + length of all tiles) and keeps what comes of
/// [keepBegin, keepEnd).
struct TileSpan {
    int start = 0, keepBegin = 0, keepEnd = 0;
};

/// The shortest length with which `count` tiles cover `pixels`; `pixels` itself where it is too short to be cut.
int tileLength(int pixels, int count, const TileReach& reach);

/// Tiles of one length whose kept spans cover [0, pixels) without overlap.
std::vector<TileSpan> tilesAlong(int pixels, int length, const TileReach& reach);

}  // namespace reelbrush::diffusion
