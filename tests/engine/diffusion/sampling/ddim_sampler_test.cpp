#include "engine/diffusion/sampling/ddim_sampler.h"

#include "tests/engine/diffusion/golden_tensors.h"
#include "tests/support/test_data.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace reelbrush::diffusion {
namespace {

NoiseSchedule zeroSnrSchedule() {
    NoiseSchedule::Betas betas;
    betas.zeroTerminalSnr = true;
    return NoiseSchedule::fromBetas(betas);
}

TEST(DdimSampler, EightTrailingTimesteps) {
    const auto sampler = DdimSampler::create(zeroSnrSchedule(), 8);
    ASSERT_TRUE(sampler);
    EXPECT_EQ(sampler->timesteps(), (std::vector<int>{999, 874, 749, 624, 499, 374, 249, 124}));
}

TEST(DdimSampler, StepsOutsideTheTrainingRangeAreRefused) {
    EXPECT_FALSE(DdimSampler::create(zeroSnrSchedule(), 0));
    EXPECT_FALSE(DdimSampler::create(zeroSnrSchedule(), 1001));
    EXPECT_TRUE(DdimSampler::create(zeroSnrSchedule(), 1000));
}

/// The trajectories come from diffusers with the toy model tanh(0.7 x + 0.1) + 0.05 cos(t / 100); see the protocol
/// in the fixture's meta.json.
class DdimTrajectory : public ::testing::TestWithParam<int> {};

TEST_P(DdimTrajectory, MatchesDiffusers) {
    const testing::GoldenTensors golden(testing::fixturesFolder() / "schedulers" / "trajectories.safetensors");
    const std::string key = fmt::format("ddim_v_zsnr_trailing.n{}.s10.", GetParam());
    const auto sampler = DdimSampler::create(zeroSnrSchedule(), GetParam());
    ASSERT_TRUE(sampler);
    const auto timesteps = golden.values(key + "timesteps");
    ASSERT_EQ(timesteps.size(), sampler->timesteps().size());
    const auto samples = golden.values(key + "samples");
    const std::size_t width = samples.size() / (timesteps.size() + 1);
    std::vector<float> latents(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(width));
    for (std::size_t i = 0; i < timesteps.size(); ++i) {
        EXPECT_EQ(static_cast<int>(timesteps[i]), sampler->timesteps()[i]);
        std::vector<float> prediction;
        for (float x : latents) prediction.push_back(std::tanh(0.7f * x + 0.1f) + 0.05f * std::cos(timesteps[i] / 100));
        sampler->step(i, prediction, latents);
        const std::span<const float> expected(samples.data() + (i + 1) * width, width);
        EXPECT_LE(testing::agreement(fmt::format("step {}", i), latents, expected).maxError, 2e-5);
    }
}

INSTANTIATE_TEST_SUITE_P(Steps, DdimTrajectory, ::testing::Values(4, 8, 20));

}  // namespace
}  // namespace reelbrush::diffusion
