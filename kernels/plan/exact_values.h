#pragma once

#include "kernels/plan/graph.h"

#include <cstddef>
#include <vector>

namespace reelbrush::kernels {

/// Whether an op reads one of its inputs as numbers that must stay f32.
bool readsExactly(const Op& op, std::size_t input);

/// For each value of the graph, whether it stays f32 on devices that compute in half precision: inputs that are
/// numbers rather than pictures, and would lose what matters (timesteps, strengths, group statistics).
std::vector<bool> exactValues(const Graph& graph);

}  // namespace reelbrush::kernels
