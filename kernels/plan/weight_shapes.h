#pragma once

#include "kernels/plan/graph.h"

#include <span>
#include <string>
#include <vector>

namespace reelbrush::kernels {

/// What a weight does in its node.
enum class WeightRole {
    Product,  ///< of a convolution or linear: [outputs, inputs of one output ...]
    Bias,     ///< may be absent
    Gamma,    ///< what a norm multiplies with
    Beta,     ///< what a norm adds
    Constant  ///< a value by itself, such as position embeddings
};

struct WeightNeed {
    Shape shape;
    WeightRole role = WeightRole::Product;
    bool mayBeAbsent() const { return role == WeightRole::Bias; }
};

/// The weights that a node takes, in the order that the op's header gives.
std::vector<WeightNeed> weightNeeds(const Op& op, std::span<const Shape> inputs);

/// A weight that a graph uses.
struct NamedWeight {
    std::string name;
    WeightNeed need;
};

/// Every weight that a graph names, once, in the order of first use. Absent biases are left out.
std::vector<NamedWeight> weightsOf(const Graph& graph);

}  // namespace reelbrush::kernels
