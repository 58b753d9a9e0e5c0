#include "engine/diffusion/networks/module_scope.h"

namespace reelbrush::diffusion {

using namespace kernels;

std::string ModuleScope::nameOf(std::string_view part) const {
    if (name_.empty()) return std::string(part);
    return name_ + "." + std::string(part);
}

Value ModuleScope::linear(std::string_view part, Value x, int outFeatures, LinearOptions options) const {
    Linear op;
    op.outFeatures = {outFeatures};
    op.mayQuantise = options.mayQuantise;
    const std::string name = nameOf(part);
    return graph_->add(std::move(op), {x}, {name + ".weight", options.bias ? name + ".bias" : ""}, name);
}

Value ModuleScope::conv3x3(std::string_view part, Value x, int outChannels, ConvOptions options) const {
    Conv2d op;
    op.outChannels = outChannels;
    op.stride = options.stride;
    op.hasBias = options.bias;
    op.mayQuantise = options.mayQuantise;
    const std::string name = nameOf(part);
    return graph_->add(op, {x}, {name + ".weight", options.bias ? name + ".bias" : ""}, name);
}

Value ModuleScope::groupNorm(std::string_view part, Value x, int groups, float epsilon) const {
    GroupNorm op;
    op.groups = groups;
    op.epsilon = epsilon;
    const std::string name = nameOf(part);
    return graph_->add(op, {x}, {name + ".weight", name + ".bias"}, name);
}

Value ModuleScope::layerNorm(std::string_view part, Value x, float epsilon) const {
    const std::string name = nameOf(part);
    return graph_->add(LayerNorm{epsilon}, {x}, {name + ".weight", name + ".bias"}, name);
}

Value ModuleScope::activation(Activation kind, Value x) const {
    return graph_->add(ActivationOp{kind}, {x}, {}, nameOf("activation"));
}

Value ModuleScope::add(Value a, Value b) const {
    return graph_->add(Add{}, {a, b}, {}, nameOf("add"));
}

Value ModuleScope::widened(Value x, std::int64_t batch) const {
    const std::int64_t own = shapeOf(x).batch();
    if (batch <= own) return x;
    if (own == 1) return graph_->add(RepeatBatch{static_cast<int>(batch)}, {x}, {}, nameOf("repeat"));
    std::vector<Value> copies(static_cast<std::size_t>(batch / own), x);
    return graph_->add(ConcatBatch{}, std::move(copies), {}, nameOf("repeat"));
}

Value ModuleScope::toTokens(Value image) const {
    const Shape shape = shapeOf(image);
    return graph_->add(Reshape{Shape{shape[0], shape[1] * shape[2], shape[3]}}, {image}, {}, nameOf("tokens"));
}

Value ModuleScope::toImage(Value tokens, const Shape& like) const {
    const Shape shape = shapeOf(tokens);
    return graph_->add(Reshape{Shape{shape[0], like[1], like[2], shape[2]}}, {tokens}, {}, nameOf("image"));
}

}  // namespace reelbrush::diffusion
