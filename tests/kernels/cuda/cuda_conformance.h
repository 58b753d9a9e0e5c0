#pragma once

#include "kernels/cuda/cuda_backend.h"
#include "tests/kernels/support/compare.h"
#include "tests/kernels/support/memory_weights.h"
#include "tests/kernels/support/run_node.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace reelbrush::kernels {

/// The node with inputs that the type holds exactly, but for those of exact_values.h.
NodeCase roundedTo(DType type, NodeCase node);

/// What rounding a result to the type, and weights and intermediate values before it, may cost.
double roundingOf(DType type);

/// Tests of ops on a CUDA device, against the scalar reference. Skipped, visibly, where there is no device.
class CudaConformance : public ::testing::Test {
  protected:
    void SetUp() override;

    /// Runs the node in F32, BF16 and F16, with inputs that each type holds exactly, and holds the results against the
    /// reference. tolerance: largest error over the largest expected magnitude, in F32; the others get what their
    /// mantissa costs on top.
    void expectConforms(const NodeCase& node, const MemoryWeights& weights = {}, double tolerance = 1e-5);

    static std::unique_ptr<CudaBackend> backendOf(DType type);
};

}  // namespace reelbrush::kernels
