#include "kernels/plan/graph.h"

#include <fmt/format.h>

namespace reelbrush::kernels {

Value Graph::newValue(Shape shape) {
    shapes_.push_back(shape);
    return Value{static_cast<int>(shapes_.size()) - 1};
}

Value Graph::input(std::string name, Shape shape) {
    const Value value = newValue(shape);
    inputs_.emplace_back(std::move(name), value);
    return value;
}

Value Graph::add(Op op, std::vector<Value> inputs, std::vector<std::string> weights, std::string name) {
    if (!status_) return newValue({});
    std::vector<Shape> inputShapes;
    for (Value input : inputs) inputShapes.push_back(shapeOf(input));
    if (name.empty()) name = nameOf(op);
    auto shape = std::visit([&](const auto& typed) { return outputShape(typed, inputShapes); }, op);
    if (!shape) {
        Error error = std::move(shape).error();
        error.message = fmt::format("{}: {}", name, error.message);
        status_ = fail(std::move(error));
        return newValue({});
    }
    const Value output = newValue(*shape);
    nodes_.push_back(Node{std::move(op), std::move(inputs), output, std::move(weights), std::move(name)});
    return output;
}

void Graph::output(std::string name, Value value) {
    outputs_.emplace_back(std::move(name), value);
}

}  // namespace reelbrush::kernels
