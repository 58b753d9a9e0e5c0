#pragma once

#include "kernels/plan/graph.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace reelbrush::diffusion {

/// A run of a network's nodes that reads one value and hands on one value.
struct NetworkPiece {
    std::size_t firstNode = 0, endNode = 0;  ///< [first, end) of the graph's nodes
    kernels::Value input{}, output{};
};

/// Cuts a network with one input and one output wherever a convolution or linear makes the only value that is read
/// later on. network: fused (kernels/plan/fusion.h).
std::vector<NetworkPiece> piecesOf(const kernels::Graph& network);

/// Two neighbours as one.
NetworkPiece joined(const NetworkPiece& first, const NetworkPiece& second);

/// True where every pixel depends on its neighbourhood alone, but for group norms: convolutions, nearest upsampling,
/// work on single pixels. False with attention.
bool isLocal(const kernels::Graph& network, const NetworkPiece& piece);

/// Values of `piece` that its group norms read, in order.
std::vector<kernels::Value> normInputs(const kernels::Graph& network, const NetworkPiece& piece);

struct PieceGraphOptions {
    int height = 0, width = 0;  ///< of the input
    int frames = 1;
    /// Group norms take their statistics from inputs "statistics0", "statistics1", ...: the piece sees only a tile.
    bool givenStatistics = false;
    /// The graph ends with the value that this group norm reads.
    std::optional<std::size_t> stopAtNorm{};
};

/// A piece as a graph of its own, from the input "x" to the output "y".
kernels::Graph graphOf(const kernels::Graph& network, const NetworkPiece& piece, const PieceGraphOptions& options);

/// The same for the whole input.
kernels::Graph wholeGraphOf(const kernels::Graph& network, const NetworkPiece& piece);

/// Input and output of the convolution or linear with the largest ones.
std::size_t largestProductBytes(const kernels::Graph& graph);

/// What a plan of the graph needs for its values, and a guess at the scratch of its largest node.
std::size_t estimatedBytes(const kernels::Graph& graph);

std::size_t bytesOf(const kernels::Shape& shape);

}  // namespace reelbrush::diffusion
