#include "kernels/cpu/simd_limit.h"

#include <gtest/gtest.h>

namespace reelbrush::kernels {
namespace {

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
