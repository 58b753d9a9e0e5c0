// The errors that vector_math-inl.h claims, measured for each vector width against double arithmetic.

#include "kernels/cpu/simd_limit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/kernels/cpu/vector_math_test.cpp"
#include <hwy/foreach_target.h>
// Behind foreach_target.h, which must come first.
#include "kernels/cpu/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace reelbrush::kernels::HWY_NAMESPACE {

/// In the order of the enumeration below.
float evaluate(int function, float x) {
    const hn::ScalableTag<float> d;
    const auto v = hn::Set(d, x);
    switch (function) {
        case 0:
            return hn::GetLane(exp2Below(d, v));
        case 1:
            return hn::GetLane(expOf(d, v));
        case 2:
            return hn::GetLane(sigmoidOf(d, v));
        case 3:
            return hn::GetLane(tanhOf(d, v));
        default:
            return hn::GetLane(geluOf(d, v));
    }
}

}  // namespace reelbrush::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace reelbrush::kernels {

HWY_EXPORT(evaluate);

namespace {

enum Function { Exp2, Exp, Sigmoid, Tanh, Gelu };

class VectorMath : public testing::TestWithParam<SimdLimit> {
  protected:
    void SetUp() override { setSimdLimit(GetParam()); }
    void TearDown() override { setSimdLimit(SimdLimit::Best); }

    static double valueOf(Function function, double x) {
        return HWY_DYNAMIC_DISPATCH(evaluate)(function, static_cast<float>(x));
    }
    struct Worst {
        double absolute = 0.0, relative = 0.0;
    };
    template <typename Truth>
    static Worst worstOf(Function function, double low, double high, const Truth& truth) {
        constexpr int kSteps = 200000;
        Worst worst;
        for (int i = 0; i <= kSteps; ++i) {
            const float x = static_cast<float>(low + (high - low) * i / kSteps);
            const double expected = truth(static_cast<double>(x)), error = std::abs(valueOf(function, x) - expected);
            worst.absolute = std::max(worst.absolute, error);
            if (expected != 0.0) worst.relative = std::max(worst.relative, error / std::abs(expected));
        }
        fmt::print("function {}: absolute {:.2e}, relative {:.2e}\n", static_cast<int>(function), worst.absolute,
                   worst.relative);
        return worst;
    }
};

INSTANTIATE_TEST_SUITE_P(Limits, VectorMath, testing::Values(SimdLimit::Sse4, SimdLimit::Avx2, SimdLimit::Best));

TEST_P(VectorMath, Exp2) {
    EXPECT_LT(worstOf(Function::Exp2, -126.0, 10.0, [](double x) { return std::exp2(x); }).relative, 2e-7);
    EXPECT_EQ(valueOf(Function::Exp2, -1e30), std::exp2(-126.0));
    EXPECT_EQ(valueOf(Function::Exp2, 0.0), 1.0);
    EXPECT_TRUE(std::isnan(valueOf(Function::Exp2, std::nan(""))));
}

TEST_P(VectorMath, Exp) {
    const double tolerance = GetParam() == SimdLimit::Sse4 ? 4e-6 : 2e-7;
    EXPECT_LT(worstOf(Function::Exp, -87.0, 87.0, [](double x) { return std::exp(x); }).relative, tolerance);
    EXPECT_EQ(valueOf(Function::Exp, 1e30), valueOf(Function::Exp, 87.0));
}

TEST_P(VectorMath, Sigmoid) {
    const Worst worst = worstOf(Function::Sigmoid, -80.0, 80.0, [](double x) { return 1.0 / (1.0 + std::exp(-x)); });
    EXPECT_LT(worst.relative, GetParam() == SimdLimit::Sse4 ? 4e-6 : 3e-7);
    EXPECT_LT(worst.absolute, 3e-7);
}

TEST_P(VectorMath, Tanh) {
    EXPECT_LT(worstOf(Function::Tanh, -20.0, 20.0, [](double x) { return std::tanh(x); }).absolute, 5e-7);
}

TEST_P(VectorMath, Gelu) {
    const auto gelu = [](double x) { return 0.5 * x * std::erfc(-x / std::numbers::sqrt2); };
    EXPECT_LT(worstOf(Function::Gelu, -10.0, 10.0, gelu).absolute, 6e-7);
    EXPECT_NEAR(valueOf(Function::Gelu, -1e4), 0.0, 1e-9);
    EXPECT_EQ(valueOf(Function::Gelu, 1e4), 1e4);
}

}  // namespace
}  // namespace reelbrush::kernels
#endif
