#include "kernels/cpu/simd_limit.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace reelbrush::kernels {
namespace {

TEST(SimdLimitDeathTest, EnvironmentNarrowsBeforeTheFirstKernel) {
    // In a process of its own: the variable is read once.
    EXPECT_EXIT(
        {
            setenv("REELBRUSH_MAX_SIMD", "sse4", 1);
            std::exit(simdName() == "SSE4" && simdLimit() == SimdLimit::Sse4 ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

TEST(SimdLimit, NarrowsWhatIsUsedAndWidensAgain) {
    const std::string best = simdName();
    setSimdLimit(SimdLimit::Sse4);
    EXPECT_EQ(simdLimit(), SimdLimit::Sse4);
    EXPECT_EQ(simdName(), "SSE4");
    setSimdLimit(SimdLimit::Avx2);
    if (best == "AVX-512" || best == "AVX2") {
        EXPECT_EQ(simdName(), "AVX2");
    }
    setSimdLimit(SimdLimit::Best);
    EXPECT_EQ(simdName(), best);
}

}  // namespace
}  // namespace reelbrush::kernels
