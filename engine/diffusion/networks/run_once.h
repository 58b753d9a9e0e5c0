#pragma once

#include "engine/core/status.h"
#include "kernels/plan/backend.h"
#include "kernels/plan/graph.h"
#include "kernels/plan/weight_provider.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace reelbrush::diffusion {

/// Tensors by the names of a graph's inputs or outputs; row-major f32.
using NamedTensors = std::map<std::string, std::vector<float>, std::less<>>;

/// Compiles a graph that is needed once (a text or image encoder), feeds every input and returns every output; weights
/// and arena are freed before it returns.
/// Errors: as Plan::compile and Plan::run; Internal for an input that is missing or of the wrong size.
Result<NamedTensors> runOnce(kernels::Graph graph, const kernels::WeightProvider& weights, kernels::Backend& backend,
                             const NamedTensors& inputs);

}  // namespace reelbrush::diffusion
