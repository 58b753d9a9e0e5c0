#pragma once

#include "kernels/plan/node.h"

#include <span>
#include <vector>

namespace reelbrush::kernels {

struct WeightNeed {
    Shape shape;
    bool mayBeAbsent = false;  ///< a bias
};

/// The weights that a node takes, in the order that the op's header gives.
std::vector<WeightNeed> weightNeeds(const Op& op, std::span<const Shape> inputs);

}  // namespace reelbrush::kernels
