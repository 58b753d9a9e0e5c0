#include "engine/diffusion/sampling/noise_schedule.h"

#include "tests/engine/diffusion/golden_tensors.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

namespace reelbrush::diffusion {
namespace {

TEST(NoiseSchedule, StarterScheduleMatchesItsGolden) {
    const testing::GoldenTensors golden(testing::starterGolden());
    const auto expected = golden.values("alphas_cumprod");
    NoiseSchedule::Betas betas;
    betas.zeroTerminalSnr = true;
    const auto schedule = NoiseSchedule::fromBetas(betas);
    const std::vector<float> computed(schedule.signalShare.begin(), schedule.signalShare.end());
    EXPECT_LE(testing::agreement("alphas_cumprod", computed, expected).maxError, 1e-6);
    EXPECT_EQ(computed.back(), 0.0f);
}

TEST(NoiseSchedule, UnknownSpacingIsNamed) {
    const auto schedule = NoiseSchedule::fromJson({{"beta_schedule", "sigmoid"}});
    ASSERT_FALSE(schedule);
    EXPECT_EQ(schedule.error().code, StatusCode::Unsupported);
    EXPECT_NE(schedule.error().message.find("sigmoid"), std::string::npos);
}

TEST(NoiseSchedule, SenselessBetasAreRefused) {
    EXPECT_FALSE(NoiseSchedule::fromJson({{"beta_start", 0.5}, {"beta_end", 0.1}}));
    EXPECT_FALSE(NoiseSchedule::fromJson({{"beta_end", 2.0}}));
    EXPECT_FALSE(NoiseSchedule::fromJson({{"num_train_timesteps", -3}}));
}

}  // namespace
}  // namespace reelbrush::diffusion
