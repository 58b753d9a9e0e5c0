#include "kernels/plan/fusion.h"

#include <algorithm>
#include <optional>

namespace reelbrush::kernels {

namespace {

/// Who makes and who reads each value, kept up to date while nodes are merged. Merged nodes are marked dead.
class Rewriter {
  public:
    explicit Rewriter(Graph& graph) : graph_(graph), nodes_(graph.nodes()), dead_(nodes_.size(), false) {}

    std::vector<Node>& nodes() { return nodes_; }
    bool isDead(std::size_t node) const { return dead_[node]; }
    void kill(std::size_t node) { dead_[node] = true; }
    const Shape& shapeOf(Value value) const { return graph_.shapeOf(value); }

    std::optional<std::size_t> producer(Value value) const {
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            if (!dead_[i] && nodes_[i].output == value) return i;
        return std::nullopt;
    }

    /// The one node that reads the value, if exactly one reads it exactly once and the caller does not.
    std::optional<std::size_t> onlyReader(Value value) const {
        std::optional<std::size_t> reader;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (dead_[i]) continue;
            const auto count = std::ranges::count(nodes_[i].inputs, value);
            if (count == 0) continue;
            if (count > 1 || reader) return std::nullopt;
            reader = i;
        }
        return isOutput(value) ? std::nullopt : reader;
    }

    bool isOutput(Value value) const {
        return std::ranges::any_of(graph_.outputs(), [&](const auto& output) { return output.second == value; });
    }

    bool isRead(Value value) const {
        if (isOutput(value)) return true;
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            if (!dead_[i] && std::ranges::count(nodes_[i].inputs, value) > 0) return true;
        return false;
    }

    /// Moves node `from` to where node `to` stands, which dies; used when a node takes over a later one's work.
    void replace(std::size_t to, std::size_t from) {
        nodes_[to] = std::move(nodes_[from]);
        dead_[from] = true;
    }

    void commit() {
        std::vector<Node> kept;
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            if (!dead_[i]) kept.push_back(std::move(nodes_[i]));
        graph_.replaceNodes(std::move(kept));
    }

    Value newValue(Shape shape) { return graph_.newValue(shape); }

  private:
    Graph& graph_;
    std::vector<Node> nodes_;
    std::vector<bool> dead_;
};

/// Pieces of a Conv2d or Linear that later ops can merge into.
struct Epilogue {
    Activation* activation;
    bool* hasResidual;
};

std::optional<Epilogue> epilogueOf(Op& op) {
    if (auto* conv = std::get_if<Conv2d>(&op)) return Epilogue{&conv->activation, &conv->hasResidual};
    if (auto* linear = std::get_if<Linear>(&op)) return Epilogue{&linear->activation, &linear->hasResidual};
    return std::nullopt;
}

/// The order in the output is residual first, activation last: so an activation closes the epilogue.
void fuseActivations(Rewriter& graph) {
    for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
        auto* activation = std::get_if<ActivationOp>(&graph.nodes()[i].op);
        if (graph.isDead(i) || !activation) continue;
        const Value input = graph.nodes()[i].inputs[0];
        const auto maker = graph.producer(input);
        if (!maker || graph.onlyReader(input) != i) continue;
        Node& node = graph.nodes()[*maker];
        Activation* target = nullptr;
        if (const auto epilogue = epilogueOf(node.op)) target = epilogue->activation;
        if (auto* norm = std::get_if<GroupNorm>(&node.op)) target = &norm->activation;
        if (!target || *target != Activation::None) continue;
        *target = activation->kind;
        node.output = graph.nodes()[i].output;
        graph.kill(i);
    }
}

void fuseChannelAdds(Rewriter& graph) {
    for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
        auto* norm = std::get_if<GroupNorm>(&graph.nodes()[i].op);
        if (graph.isDead(i) || !norm || norm->hasChannelAdd || norm->hasStatistics) continue;
        const Value input = graph.nodes()[i].inputs[0];
        const auto maker = graph.producer(input);
        if (!maker || !std::holds_alternative<AddChannels>(graph.nodes()[*maker].op)) continue;
        if (graph.onlyReader(input) != i) continue;
        graph.nodes()[i].inputs = graph.nodes()[*maker].inputs;
        norm->hasChannelAdd = true;
        graph.kill(*maker);
    }
}

/// add(product, other) becomes the product's residual; the product moves to the addition's place, where `other` exists.
void fuseResiduals(Rewriter& graph) {
    for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
        if (graph.isDead(i) || !std::holds_alternative<Add>(graph.nodes()[i].op)) continue;
        const Node add = graph.nodes()[i];
        if (!(graph.shapeOf(add.inputs[0]) == graph.shapeOf(add.inputs[1]))) continue;
        // The later of the two products merges, so that nothing in between has to move.
        std::optional<std::size_t> best;
        std::size_t side = 0;
        for (std::size_t s = 0; s < 2; ++s) {
            const auto maker = graph.producer(add.inputs[s]);
            if (!maker || graph.onlyReader(add.inputs[s]) != i || (best && *maker < *best)) continue;
            const auto epilogue = epilogueOf(graph.nodes()[*maker].op);
            if (!epilogue || *epilogue->hasResidual || *epilogue->activation != Activation::None) continue;
            best = maker;
            side = s;
        }
        if (!best) continue;
        Node& product = graph.nodes()[*best];
        *epilogueOf(product.op)->hasResidual = true;
        product.inputs.push_back(add.inputs[1 - side]);
        product.output = add.output;
        graph.replace(i, *best);
    }
}

bool isPlainProjection(const Rewriter& graph, Node& node, Value value, std::size_t reader) {
    const auto* linear = std::get_if<Linear>(&node.op);
    return linear && !linear->hasResidual && linear->activation == Activation::None &&
           graph.onlyReader(value) == reader;
}

/// Linears over the same input that feed the same attention become one product, placed where the first one stood.
void fuseProjections(Rewriter& graph) {
    for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
        if (graph.isDead(i) || !std::holds_alternative<Attention>(graph.nodes()[i].op)) continue;
        const std::size_t operands = graph.nodes()[i].inputs.size();
        std::vector<bool> done(operands, false);
        for (std::size_t first = 0; first < operands; ++first) {
            const auto lead = graph.producer(graph.nodes()[i].inputs[first]);
            if (done[first] || !lead) continue;
            if (!isPlainProjection(graph, graph.nodes()[*lead], graph.nodes()[i].inputs[first], i)) continue;
            const Value source = graph.nodes()[*lead].inputs[0];
            std::vector<std::pair<std::size_t, std::size_t>> members{{first, *lead}};  // operand, node
            for (std::size_t other = first + 1; other < operands; ++other) {
                const auto maker = graph.producer(graph.nodes()[i].inputs[other]);
                if (done[other] || !maker || !(graph.nodes()[*maker].inputs[0] == source)) continue;
                if (!isPlainProjection(graph, graph.nodes()[*maker], graph.nodes()[i].inputs[other], i)) continue;
                members.emplace_back(other, *maker);
            }
            if (members.size() < 2) continue;

            Linear joint;
            std::vector<std::string> weights, biases;
            auto& attention = std::get<Attention>(graph.nodes()[i].op);
            if (attention.channelOffsets.empty()) attention.channelOffsets.assign(operands, 0);
            for (const auto& [operand, member] : members) {
                const Node& node = graph.nodes()[member];
                const auto& linear = std::get<Linear>(node.op);
                attention.channelOffsets[operand] = joint.totalOutFeatures();
                joint.mayQuantise = joint.mayQuantise && linear.mayQuantise;
                const auto parts = static_cast<std::ptrdiff_t>(linear.outFeatures.size());
                joint.outFeatures.insert(joint.outFeatures.end(), linear.outFeatures.begin(), linear.outFeatures.end());
                weights.insert(weights.end(), node.weights.begin(), node.weights.begin() + parts);
                biases.insert(biases.end(), node.weights.begin() + parts, node.weights.end());
            }
            weights.insert(weights.end(), biases.begin(), biases.end());
            Shape shape = graph.shapeOf(source);
            shape[shape.rank() - 1] = joint.totalOutFeatures();
            const Value output = graph.newValue(shape);
            std::size_t place = members[0].second;
            for (const auto& [operand, member] : members) {
                graph.nodes()[i].inputs[operand] = output;
                done[operand] = true;
                place = std::min(place, member);
            }
            std::string name = graph.nodes()[place].name;
            for (const auto& entry : members)
                if (entry.second != place) graph.kill(entry.second);
            graph.nodes()[place] = Node{std::move(joint), {source}, output, std::move(weights), std::move(name)};
        }
    }
}

void dropUnread(Rewriter& graph) {
    for (std::size_t i = graph.nodes().size(); i-- > 0;)
        if (!graph.isDead(i) && !graph.isRead(graph.nodes()[i].output)) graph.kill(i);
}

}  // namespace

void fuse(Graph& graph) {
    Rewriter rewriter(graph);
    dropUnread(rewriter);
    fuseProjections(rewriter);
    fuseChannelAdds(rewriter);
    fuseResiduals(rewriter);
    fuseActivations(rewriter);
    rewriter.commit();
}

}  // namespace reelbrush::kernels
