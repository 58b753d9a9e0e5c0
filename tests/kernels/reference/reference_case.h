#pragma once

#include "kernels/reference/reference_backend.h"
#include "tests/kernels/support/memory_weights.h"
#include "tests/kernels/support/run_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace reelbrush::kernels {

/// Expects the reference to give these values, worked out by hand.
inline void expectReference(const NodeCase& node, const TestTensor& expected, const MemoryWeights& weights = {}) {
    ReferenceBackend backend;
    const auto actual = runNode(backend, node, weights);
    ASSERT_TRUE(actual.has_value()) << actual.error().message;
    EXPECT_EQ(actual->shape, expected.shape) << actual->shape.toString();
    ASSERT_EQ(actual->values.size(), expected.values.size());
    for (std::size_t i = 0; i < expected.values.size(); ++i)
        EXPECT_NEAR(actual->values[i], expected.values[i], 2e-6 * std::max(1.0f, std::abs(expected.values[i]))) << i;
}

}  // namespace reelbrush::kernels
