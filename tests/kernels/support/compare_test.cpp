#include "tests/kernels/support/compare.h"

#include <gtest/gtest.h>

#include <limits>

namespace reelbrush::kernels {
namespace {

TEST(Compare, FindsTheLargestErrorAndItsPlace) {
    const Difference difference = compare({{3}, {1.0f, -4.0f, 2.5f}}, {{3}, {1.0f, -4.0f, 2.0f}});
    EXPECT_TRUE(difference.comparable);
    EXPECT_DOUBLE_EQ(difference.maxAbs, 0.5);
    EXPECT_DOUBLE_EQ(difference.maxRelative, 0.125);
    EXPECT_EQ(difference.worst, 2);
}

TEST(Compare, CosineOfOppositesIsMinusOne) {
    EXPECT_NEAR(compare({{2}, {1.0f, 2.0f}}, {{2}, {-1.0f, -2.0f}}).cosine, -1.0, 1e-12);
}

TEST(Compare, OtherShapesAndNotANumberAreInfinitelyFar) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(compare({{2}, {1.0f, 2.0f}}, {{1, 2}, {1.0f, 2.0f}}).comparable);
    const Difference difference = compare({{2}, {1.0f, nan}}, {{2}, {1.0f, 2.0f}});
    EXPECT_FALSE(difference.comparable);
    EXPECT_EQ(difference.maxAbs, std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace reelbrush::kernels
