#pragma once

#include "engine/core/status.h"
#include "engine/session/benchmark.h"
#include "kernels/plan/graph.h"
#include "kernels/plan/weight_provider.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace reelbrush::session {

/// One network to be timed. Its weights are made or mapped when they are asked for.
struct BenchmarkNetwork {
    std::string stage;  ///< see StageTiming
    kernels::Graph graph;
    std::shared_ptr<const kernels::WeightProvider> weights;
};

/// The networks of the stages that were asked for. options.width and height: as roundedForModel gives them.
/// Errors: those of opening the model; BadInput where it has none of these stages.
Result<std::vector<BenchmarkNetwork>> benchmarkNetworks(const BenchmarkOptions& options);

/// The picture size that is measured: the next that the model can paint.
BenchmarkOptions roundedForModel(BenchmarkOptions options);

}  // namespace reelbrush::session
