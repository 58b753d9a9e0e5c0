#pragma once

#include "kernels/plan/backend.h"
#include "tests/kernels/support/test_tensor.h"

#include <string>
#include <vector>

namespace reelbrush::kernels {

/// One op with its inputs and the names of its weights.
struct NodeCase {
    Op op;
    std::vector<TestTensor> inputs;
    std::vector<std::string> weights;
};

/// Prepares, binds and runs one node on a backend. Output and scratch start as NaN, so that what is not written shows.
/// Runs it twice and fails (Internal) where the second output differs in any bit, or where the step wrote behind its
/// output or scratch. Errors of the op's shapes or of the backend are passed on.
Result<TestTensor> runNode(Backend& backend, const NodeCase& node, const WeightProvider& weights);

/// The same without weights.
Result<TestTensor> runNode(Backend& backend, const NodeCase& node);

}  // namespace reelbrush::kernels
