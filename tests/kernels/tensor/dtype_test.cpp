#include "kernels/tensor/dtype.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace reelbrush::kernels {
namespace {

TEST(Half, EveryBitPatternSurvivesTheRoundTrip) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const float value = halfToFloat(static_cast<std::uint16_t>(bits));
        if (std::isnan(value)) continue;
        ASSERT_EQ(floatToHalf(value), bits);
    }
}

TEST(Half, KnownValues) {
    EXPECT_EQ(halfToFloat(0x3c00), 1.0f);
    EXPECT_EQ(halfToFloat(0x7bff), 65504.0f);
    EXPECT_EQ(halfToFloat(0x0001), 0x1p-24f);
    EXPECT_EQ(floatToHalf(65520.0f), 0x7c00);
    EXPECT_EQ(floatToHalf(1.0f + 0x1p-11f), 0x3c00) << "ties go to even";
    EXPECT_EQ(floatToHalf(1.0f + 3 * 0x1p-11f), 0x3c02);
}

TEST(Float8, KnownValues) {
    EXPECT_EQ(float8E4M3ToFloat(0x38), 1.0f);
    EXPECT_EQ(float8E4M3ToFloat(0x7e), 448.0f);
    EXPECT_EQ(float8E4M3ToFloat(0x81), -0x1p-9f);
    EXPECT_TRUE(std::isnan(float8E4M3ToFloat(0x7f)));
    EXPECT_EQ(float8E5M2ToFloat(0x3c), 1.0f);
    EXPECT_EQ(float8E5M2ToFloat(0x7b), 57344.0f);
}

}  // namespace
}  // namespace reelbrush::kernels
