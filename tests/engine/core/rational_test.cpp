#include "engine/core/rational.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace reelbrush {
namespace {

TEST(Rational, ReducesAndNormalisesTheSign) {
    EXPECT_EQ(Rational(60000, 2002), Rational(30000, 1001));
    EXPECT_EQ(Rational(1, -2), Rational(-1, 2));
    EXPECT_EQ(Rational(0, 7), Rational(0, 1));
}

TEST(Rational, ArithmeticIsExact) {
    const Rational frame(1001, 30000);
    Rational sum;
    for (int i = 0; i < 30000; ++i) sum = sum + frame;
    EXPECT_EQ(sum, Rational(1001));
    EXPECT_EQ(Rational(1, 3) - Rational(1, 2), Rational(-1, 6));
    EXPECT_EQ(Rational(2, 3) / Rational(4, 9), Rational(3, 2));
}

TEST(Rational, ComparesWithoutOverflow) {
    EXPECT_LT(Rational(INT64_MAX - 1, INT64_MAX), Rational(1));
    EXPECT_GT(Rational(1, 3), Rational(333, 1000));
}

TEST(Rational, UnknownIsNotKnown) {
    EXPECT_FALSE(Rational::unknown().isKnown());
    EXPECT_FALSE((Rational(1) / Rational(0)).isKnown());
}

}  // namespace
}  // namespace reelbrush
