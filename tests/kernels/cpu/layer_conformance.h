#pragma once

#include "kernels/reference/reference_backend.h"
#include "tests/kernels/support/compare.h"
#include "tests/kernels/support/memory_weights.h"
#include "tests/kernels/support/run_node.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

namespace reelbrush::kernels {

/// One algorithm as a backend, so that it can be run where another would be faster.
class AlgorithmBackend : public Backend {
  public:
    using Make = std::function<Result<std::unique_ptr<Step>>(const StepRequest&)>;
    explicit AlgorithmBackend(Make make) : make_(std::move(make)) {}
    Result<std::unique_ptr<Step>> prepare(const StepRequest& request) override { return make_(request); }

  private:
    Make make_;
};

/// What a backend gave for a node, and what the reference gives.
struct Outcome {
    TestTensor actual, expected;
    Difference difference;
};

/// An Unsupported error of the backend is passed on; any other failure is also a failure of the test.
inline Result<Outcome> runBoth(Backend& backend, const NodeCase& node, const MemoryWeights& weights) {
    ReferenceBackend reference;
    RB_ASSIGN(TestTensor expected, runNode(reference, node, weights));
    auto actual = runNode(backend, node, weights);
    if (!actual && actual.error().code != StatusCode::Unsupported) ADD_FAILURE() << actual.error().message;
    if (!actual) return fail(actual.error());
    const Difference difference = compare(*actual, expected);
    return Outcome{std::move(*actual), std::move(expected), difference};
}

/// Integers in [low, high] times a scale, with both ends present: values that rounding with that scale leaves alone.
inline TestTensor gridTensor(const Shape& shape, std::uint64_t seed, int low, int high, float scale) {
    TestTensor tensor = randomTensor(shape, seed, static_cast<float>(low), static_cast<float>(high) + 1.0f);
    for (float& value : tensor.values) value = std::min(std::floor(value), static_cast<float>(high)) * scale;
    tensor.values.front() = static_cast<float>(high) * scale;
    tensor.values.back() = static_cast<float>(low) * scale;
    return tensor;
}

/// Largest sum of absolute weights that goes into one output: how much an error of 1 in every input can become.
inline double largestRowSum(const TestTensor& weight) {
    const auto rows = static_cast<std::size_t>(weight.shape[0]), length = weight.values.size() / rows;
    double largest = 0.0;
    for (std::size_t row = 0; row < rows; ++row) {
        double sum = 0.0;
        for (std::size_t i = 0; i < length; ++i) sum += std::abs(weight.values[row * length + i]);
        largest = std::max(largest, sum);
    }
    return largest;
}

}  // namespace reelbrush::kernels
