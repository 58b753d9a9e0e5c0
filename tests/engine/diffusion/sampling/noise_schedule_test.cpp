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

/// Values of diffusers' DDIMScheduler(beta_start=0.00085, beta_end=0.012, beta_schedule=...).alphas_cumprod.
TEST(NoiseSchedule, LinearAndCosineBetasMatchDiffusers) {
    const auto at = [](BetaSpacing spacing, std::size_t timestep) {
        return NoiseSchedule::fromBetas({1000, 0.00085, 0.012, spacing, false}).signalShare[timestep];
    };
    EXPECT_NEAR(at(BetaSpacing::Linear, 0), 0.999149978, 1e-05);
    EXPECT_NEAR(at(BetaSpacing::Linear, 500), 0.160771623, 2e-06);
    EXPECT_NEAR(at(BetaSpacing::Linear, 999), 0.00157896278, 2e-08);
    EXPECT_NEAR(at(BetaSpacing::SquaredCosine, 0), 0.999958694, 1e-05);
    EXPECT_NEAR(at(BetaSpacing::SquaredCosine, 500), 0.492285043, 5e-06);
    EXPECT_NEAR(at(BetaSpacing::SquaredCosine, 999), 2.42873499e-09, 1e-12);
}

TEST(NoiseSchedule, MissingFieldsComeFromTheDefaults) {
    const NoiseSchedule::Betas defaults{1000, 0.0001, 0.02, BetaSpacing::Linear, true};
    const auto betas = NoiseSchedule::betasFromJson({{"beta_end", 0.5}}, defaults);
    ASSERT_TRUE(betas);
    EXPECT_EQ(betas->end, 0.5);
    EXPECT_NEAR(betas->start, 0.0001, 1e-10);
    EXPECT_EQ(betas->spacing, BetaSpacing::Linear);
    EXPECT_TRUE(betas->zeroTerminalSnr);
}

TEST(NoiseSchedule, UnknownSpacingIsNamed) {
    const auto betas = NoiseSchedule::betasFromJson({{"beta_schedule", "sigmoid"}}, {});
    ASSERT_FALSE(betas);
    EXPECT_EQ(betas.error().code, StatusCode::Unsupported);
    EXPECT_NE(betas.error().message.find("sigmoid"), std::string::npos);
}

TEST(NoiseSchedule, SenselessBetasAreRefused) {
    EXPECT_FALSE(NoiseSchedule::betasFromJson({{"beta_start", 0.5}, {"beta_end", 0.1}}, {}));
    EXPECT_FALSE(NoiseSchedule::betasFromJson({{"beta_end", 2.0}}, {}));
    EXPECT_FALSE(NoiseSchedule::betasFromJson({{"num_train_timesteps", -3}}, {}));
    EXPECT_FALSE(NoiseSchedule::betasFromJson({{"num_train_timesteps", 1000000}}, {}));
    EXPECT_FALSE(NoiseSchedule::betasFromJson({{"beta_schedule", 7}}, {}));
    EXPECT_FALSE(NoiseSchedule::betasFromJson({{"trained_betas", {0.1, 0.2}}}, {}));
}

}  // namespace
}  // namespace reelbrush::diffusion
