#include "engine/diffusion/text/weighted_states.h"

#include <gtest/gtest.h>

#include <vector>

namespace reelbrush::diffusion {
namespace {

TEST(WeightedStates, MultiplyingKeepsTheMean) {
    std::vector<float> states{1, 2, 3, 4};
    multiplyByWeights(states, std::vector<float>{1, 3});
    // 1 2 9 12, times 10/24
    EXPECT_EQ(states, (std::vector<float>{10.0f / 24, 20.0f / 24, 90.0f / 24, 120.0f / 24}));
}

TEST(WeightedStates, WeightsOfOneChangeNoBit) {
    const std::vector<float> before{0.1f, -0.7f, 1e-30f, 3e7f}, ones{1, 1}, empty(4, 0.3f);
    auto states = before;
    multiplyByWeights(states, ones);
    interpolateByWeights(states, empty, ones);
    EXPECT_EQ(states, before);
}

TEST(WeightedStates, AMeanThatVanishesOrTurnsAroundIsNotRestored) {
    std::vector<float> vanishing{1, -3}, turning{1, 2};
    multiplyByWeights(vanishing, std::vector<float>{3, 1});
    EXPECT_EQ(vanishing, (std::vector<float>{3, -3}));
    multiplyByWeights(turning, std::vector<float>{-1, -1});
    EXPECT_EQ(turning, (std::vector<float>{-1, -2}));
    std::vector<float> none{0, 0};
    multiplyByWeights(none, std::vector<float>{2, 0});
    EXPECT_EQ(none, (std::vector<float>{0, 0}));
}

TEST(WeightedStates, InterpolatingGoesAwayFromTheEmptyPrompt) {
    std::vector<float> states{1, 2, 3, 4};
    interpolateByWeights(states, std::vector<float>{0, 1, 1, 1}, std::vector<float>{2, 0});
    EXPECT_EQ(states, (std::vector<float>{2, 3, 1, 1}));
}

}  // namespace
}  // namespace reelbrush::diffusion
