#pragma once

#include "kernels/plan/algorithm_cache.h"
#include "kernels/plan/step.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace reelbrush::kernels {

/// One way of computing a layer.
struct Candidate {
    std::string algorithm;  ///< as Step::algorithm() says it
    std::function<Result<std::unique_ptr<Step>>()> make;
};

/// Prepares the fastest of several ways: the remembered one, else all are timed in turns on buffers of their own.
/// Candidates that are Unsupported here are passed over. Of two that are about as fast the earlier wins, so the more
/// accurate come first. Where the machine is too busy for timing, the last one is taken: it should be the one that is
/// fastest as a rule. Whatever was chosen is remembered, so that the next run computes the same values.
/// key: the shape. Errors: those of the first candidate, which must always work.
Result<std::unique_ptr<Step>> prepareFastest(const std::vector<Candidate>& candidates, const StepRequest& request,
                                             const std::string& key, AlgorithmCache& cache);

}  // namespace reelbrush::kernels
