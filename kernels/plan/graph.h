#pragma once

#include "kernels/plan/node.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace reelbrush::kernels {

/// A model written down: ops over symbolic values, in an order in which they can run. Models are built eagerly-looking
/// (`x = graph.add(Conv2d{...}, {x}, ...)`); nothing is computed before a Plan is compiled.
/// The first mistake (shapes that do not fit) is remembered, with the node's name; later calls then do nothing.
class Graph {
  public:
    /// A tensor that the caller fills before each run.
    Value input(std::string name, Shape shape);
    /// Appends a node. weights: names in the order that the op's header gives.
    Value add(Op op, std::vector<Value> inputs, std::vector<std::string> weights = {}, std::string name = {});
    /// Makes a value readable after each run.
    void output(std::string name, Value value);

    const Shape& shapeOf(Value value) const { return shapes_[static_cast<std::size_t>(value.index)]; }
    /// The first mistake made while building.
    const Status& status() const { return status_; }

    const std::vector<Node>& nodes() const { return nodes_; }
    const std::vector<std::pair<std::string, Value>>& inputs() const { return inputs_; }
    const std::vector<std::pair<std::string, Value>>& outputs() const { return outputs_; }
    std::size_t valueCount() const { return shapes_.size(); }
    /// For passes that rewrite the graph: node order must stay topological and values keep their shapes.
    void replaceNodes(std::vector<Node> nodes) { nodes_ = std::move(nodes); }
    /// A new value without a producer yet; for passes.
    Value newValue(Shape shape);

  private:
    std::vector<Node> nodes_;
    std::vector<Shape> shapes_;
    std::vector<std::pair<std::string, Value>> inputs_, outputs_;
    Status status_;
};

}  // namespace reelbrush::kernels
