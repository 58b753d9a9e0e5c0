#include "engine/diffusion/style_bank.h"

#include <gtest/gtest.h>

#include <cmath>

namespace reelbrush::diffusion {
namespace {

TEST(StyleBank, GivesBackWhatItWasGiven) {
    StyleBank bank;
    EXPECT_TRUE(bank.isEmpty());
    const std::vector<float> first{1.0f, -2.5f}, second{0.125f};
    for (int i = 0; i < 2; ++i) {
        bank.beginEvaluation();
        bank.add(first);
        bank.add(second);
    }
    std::vector<float> out(2), one(1);
    bank.read(1, 0, out);
    bank.read(0, 1, one);
    EXPECT_EQ(out, first);
    EXPECT_EQ(one, second);
    EXPECT_EQ(bank.evaluations(), 2u);
    bank.clear();
    EXPECT_TRUE(bank.isEmpty());
}

TEST(MatchStatistics, TakesMeanAndSpreadOfEachChannel) {
    // Channel 0: mean 2, spread 1 to mean 10, spread 4. Channel 1: flat to flat.
    std::vector<float> latents{1, 7, 3, 7};
    const std::vector<float> like{6, -1, 14, -1};
    matchStatistics(like, 2, latents);
    EXPECT_FLOAT_EQ(latents[0], 6);
    EXPECT_FLOAT_EQ(latents[2], 14);
    EXPECT_FLOAT_EQ(latents[1], -1);
    EXPECT_FLOAT_EQ(latents[3], -1);
    for (const float value : latents) EXPECT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace reelbrush::diffusion
