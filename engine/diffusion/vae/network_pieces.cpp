#include "engine/diffusion/vae/network_pieces.h"

#include "kernels/plan/memory_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

/// For each value the last node that reads it; the number of nodes for the network's output; -1 where nobody does.
std::vector<std::ptrdiff_t> lastReaders(const Graph& graph) {
    std::vector<std::ptrdiff_t> last(graph.valueCount(), -1);
    for (std::size_t i = 0; i < graph.nodes().size(); ++i)
        for (const Value input : graph.nodes()[i].inputs)
            last[static_cast<std::size_t>(input.index)] = static_cast<std::ptrdiff_t>(i);
    for (const auto& [name, value] : graph.outputs())
        last[static_cast<std::size_t>(value.index)] = static_cast<std::ptrdiff_t>(graph.nodes().size());
    return last;
}

bool isProduct(const Op& op) {
    return std::holds_alternative<Conv2d>(op) || std::holds_alternative<Linear>(op);
}

/// What the op of a tile is: sizes follow the input.
Op resized(const Graph& network, const Node& node, const Shape& input) {
    const auto* upsample = std::get_if<UpsampleNearest>(&node.op);
    if (!upsample) return node.op;
    const Shape& whole = network.shapeOf(node.inputs[0]);
    return UpsampleNearest{static_cast<int>(input[1] * upsample->height / whole[1]),
                           static_cast<int>(input[2] * upsample->width / whole[2])};
}

bool isLocalOp(const Graph& network, const Node& node) {
    if (network.shapeOf(node.output).rank() != 4) return false;
    if (const auto* norm = std::get_if<GroupNorm>(&node.op)) return !norm->hasChannelAdd && !norm->hasStatistics;
    if (const auto* upsample = std::get_if<UpsampleNearest>(&node.op)) {
        const Shape& input = network.shapeOf(node.inputs[0]);
        return upsample->height == 2 * input[1] && upsample->width == 2 * input[2];
    }
    if (const auto* conv = std::get_if<Conv2d>(&node.op)) return conv->stride <= 2;
    return std::holds_alternative<Linear>(node.op) || std::holds_alternative<Affine>(node.op) ||
           std::holds_alternative<SoftClamp>(node.op) || std::holds_alternative<ActivationOp>(node.op) ||
           std::holds_alternative<Add>(node.op);
}

}  // namespace

std::size_t bytesOf(const Shape& shape) {
    return static_cast<std::size_t>(shape.elements()) * sizeof(float);
}

std::vector<NetworkPiece> piecesOf(const Graph& network) {
    const auto& nodes = network.nodes();
    const auto last = lastReaders(network);
    std::vector<NetworkPiece> pieces;
    NetworkPiece open{0, 0, network.inputs()[0].second, {}};
    std::ptrdiff_t othersNeeded = last[static_cast<std::size_t>(open.input.index)];
    std::size_t lastProduct = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (isProduct(nodes[i].op)) lastProduct = i;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const bool isAlone = othersNeeded <= static_cast<std::ptrdiff_t>(i);
        if (i + 1 == nodes.size() || (isAlone && isProduct(nodes[i].op) && i < lastProduct)) {
            open.endNode = i + 1;
            open.output = nodes[i].output;
            pieces.push_back(open);
            open = {i + 1, 0, nodes[i].output, {}};
        }
        othersNeeded = std::max(othersNeeded, last[static_cast<std::size_t>(nodes[i].output.index)]);
    }
    return pieces;
}

NetworkPiece joined(const NetworkPiece& first, const NetworkPiece& second) {
    return {first.firstNode, second.endNode, first.input, second.output};
}

bool isLocal(const Graph& network, const NetworkPiece& piece) {
    for (std::size_t i = piece.firstNode; i < piece.endNode; ++i)
        if (!isLocalOp(network, network.nodes()[i])) return false;
    return true;
}

std::vector<Value> normInputs(const Graph& network, const NetworkPiece& piece) {
    std::vector<Value> values;
    for (std::size_t i = piece.firstNode; i < piece.endNode; ++i)
        if (std::holds_alternative<GroupNorm>(network.nodes()[i].op)) values.push_back(network.nodes()[i].inputs[0]);
    return values;
}

Graph wholeGraphOf(const Graph& network, const NetworkPiece& piece) {
    const Shape& input = network.shapeOf(piece.input);
    return graphOf(network, piece,
                   {.height = static_cast<int>(input[1]),
                    .width = static_cast<int>(input[2]),
                    .frames = static_cast<int>(input[0])});
}

Graph graphOf(const Graph& network, const NetworkPiece& piece, const PieceGraphOptions& options) {
    Graph graph;
    std::map<int, Value> values;
    values[piece.input.index] =
        graph.input("x", {options.frames, options.height, options.width, network.shapeOf(piece.input).channels()});
    std::size_t norms = 0;
    Value end = piece.output;
    for (std::size_t i = piece.firstNode; i < piece.endNode; ++i) {
        const Node& node = network.nodes()[i];
        std::vector<Value> inputs;
        for (const Value input : node.inputs) inputs.push_back(values.at(input.index));
        Op op = resized(network, node, graph.shapeOf(inputs[0]));
        if (auto* norm = std::get_if<GroupNorm>(&op); norm && options.givenStatistics) {
            if (options.stopAtNorm == norms) {
                end = node.inputs[0];
                break;
            }
            norm->hasStatistics = true;
            inputs.push_back(graph.input(fmt::format("statistics{}", norms++), {1, 2 * norm->groups}));
        }
        values[node.output.index] = graph.add(std::move(op), std::move(inputs), node.weights, node.name);
    }
    graph.output("y", values.at(end.index));
    return graph;
}

std::size_t largestProductBytes(const Graph& graph) {
    std::size_t largest = 0;
    for (const Node& node : graph.nodes())
        if (isProduct(node.op))
            largest = std::max(largest, bytesOf(graph.shapeOf(node.inputs[0])) + bytesOf(graph.shapeOf(node.output)));
    return largest;
}

std::size_t estimatedBytes(const Graph& graph) {
    const auto last = lastReaders(graph);
    const auto nodes = static_cast<int>(graph.nodes().size());
    std::vector<MemoryRequest> requests;
    for (const auto& [name, value] : graph.inputs()) requests.push_back({bytesOf(graph.shapeOf(value)), 0, nodes});
    for (int i = 0; i < nodes; ++i) {
        const Node& node = graph.nodes()[static_cast<std::size_t>(i)];
        const std::size_t bytes = bytesOf(graph.shapeOf(node.output));
        const auto lastRead = static_cast<int>(last[static_cast<std::size_t>(node.output.index)]);
        requests.push_back({bytes, i, std::max(i, lastRead)});
    }
    // Convolutions that rearrange their images hold both in other layouts, but not the largest ones.
    constexpr std::size_t kLargestScratch = std::size_t{48} << 20;
    return planMemory(requests).totalBytes + std::min(largestProductBytes(graph), kLargestScratch);
}

}  // namespace reelbrush::diffusion
