#pragma once

#include "kernels/cpu/simd_limit.h"
#include "kernels/cpu/simd_step.h"
#include "kernels/reference/reference_backend.h"
#include "tests/kernels/support/compare.h"
#include "tests/kernels/support/memory_weights.h"
#include "tests/kernels/support/run_node.h"

#include <gtest/gtest.h>

#include <string>

namespace reelbrush::kernels {

/// The SIMD steps alone, as a backend.
class SimdBackend : public Backend {
  public:
    explicit SimdBackend(int threads) : threads_(threads) {}
    Result<std::unique_ptr<Step>> prepare(const StepRequest& request) override {
        return makeSimdStep(request, threads_);
    }

  private:
    int threads_;
};

/// Runs cases under a limit of the vector width; the widest is whatever this processor has.
class SimdConformance : public testing::TestWithParam<SimdLimit> {
  protected:
    void SetUp() override { setSimdLimit(GetParam()); }
    void TearDown() override {
        setSimdLimit(SimdLimit::Best);
        report(std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + " (worst)", worst_);
    }

    /// Expects the SIMD step, on one and on three threads, within `tolerance` of the reference, relative to the
    /// output's range; and the two thread counts to agree to the bit.
    void expectConforms(const std::string& label, const NodeCase& node, double tolerance,
                        const MemoryWeights& weights = {}) {
        ReferenceBackend reference;
        SimdBackend one(1), three(3);
        const auto expected = runNode(reference, node, weights);
        const auto actual = runNode(one, node, weights);
        const auto threaded = runNode(three, node, weights);
        ASSERT_TRUE(expected.has_value()) << label << ": " << expected.error().message;
        ASSERT_TRUE(actual.has_value()) << label << ": " << actual.error().message;
        ASSERT_TRUE(threaded.has_value()) << label << ": " << threaded.error().message;
        const Difference difference = compare(*actual, *expected);
        EXPECT_LE(difference.maxRelative, tolerance) << label << ": " << difference.toString();
        EXPECT_EQ(actual->values, threaded->values) << label << ": other values on three threads";
        if (!worst_.comparable || difference.maxRelative > worst_.maxRelative) worst_ = difference;
    }

  private:
    Difference worst_;
};

#define REELBRUSH_SIMD_LIMITS(suite) \
    INSTANTIATE_TEST_SUITE_P(Limits, suite, testing::Values(SimdLimit::Sse4, SimdLimit::Avx2, SimdLimit::Best))

}  // namespace reelbrush::kernels
