#include "engine/diffusion/sampling/sampler.h"

#include "engine/diffusion/sampling/sampler_names.h"
#include "engine/diffusion/sampling/torch_noise.h"
#include "tests/engine/diffusion/golden_tensors.h"
#include "tests/support/test_data.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

namespace reelbrush::diffusion {
namespace {

constexpr std::size_t kValues = 8;

/// The trajectories come from diffusers with the toy model tanh(0.7 x + 0.1) + 0.05 cos(t / 100); see the protocol
/// in the fixture's meta.json.
struct Trajectory {
    const char* name;
    int steps;
    double strength;
};

class SamplerTrajectory : public ::testing::TestWithParam<Trajectory> {
  protected:
    SamplerSettings settings() const {
        std::ifstream file(testing::fixturesFolder() / "schedulers" / "meta.json");
        const auto meta = nlohmann::json::parse(file);
        nlohmann::json config = meta[GetParam().name]["config"];
        config["_class_name"] = meta[GetParam().name]["class"];
        auto read = settingsFromSchedulerConfig(config);
        EXPECT_TRUE(read) << read.error().message;
        return read.value_or(SamplerSettings{});
    }
    std::string key(const char* what) const {
        return fmt::format("{}.n{}.s{}.{}", GetParam().name, GetParam().steps,
                           static_cast<int>(GetParam().strength * 10), what);
    }
    std::vector<float> draw() {
        std::vector<float> values(kValues);
        noise_.fill(values);
        return values;
    }
    TorchCpuNoise noise_{7};
};

TEST_P(SamplerTrajectory, MatchesDiffusers) {
    const testing::GoldenTensors golden(testing::fixturesFolder() / "schedulers" / "trajectories.safetensors");
    const auto sampler = Sampler::create(settings(), GetParam().steps, GetParam().strength);
    ASSERT_TRUE(sampler) << sampler.error().message;
    const auto timesteps = golden.values(key("timesteps"));
    const auto samples = golden.values(key("samples")), inputs = golden.values(key("inputs"));
    ASSERT_EQ(timesteps.size(), (*sampler)->evaluations());
    const auto row = [&](const std::vector<float>& of, std::size_t i) {
        return std::span<const float>(of).subspan(i * kValues, kValues);
    };
    const auto close = [&](std::span<const float> computed, std::span<const float> expected, std::size_t i) {
        return testing::agreement(fmt::format("{} {}", key("step"), i), computed, expected).relativeError < 1e-5;
    };

    const auto clean = draw(), noise = draw();
    std::vector<float> latents(kValues), input(kValues), prediction(kValues);
    const bool pure = GetParam().strength == 1.0;
    ASSERT_TRUE((*sampler)->start(pure ? std::span<const float>() : clean, noise, latents));
    EXPECT_TRUE(close(latents, row(samples, 0), 0));
    for (std::size_t i = 0; i < timesteps.size(); ++i) {
        EXPECT_NEAR((*sampler)->timestep(i), timesteps[i], 1e-5 * timesteps[0]);
        (*sampler)->scaleInput(i, latents, input);
        EXPECT_TRUE(close(input, row(inputs, i), i));
        for (std::size_t k = 0; k < kValues; ++k)
            prediction[k] = std::tanh(0.7f * input[k] + 0.1f) + 0.05f * std::cos(timesteps[i] / 100);
        ASSERT_TRUE((*sampler)->step(i, prediction, latents, noise_));
        EXPECT_TRUE(close(latents, row(samples, i + 1), i + 1));
    }
}

std::vector<Trajectory> trajectories() {
    std::vector<Trajectory> all;
    for (const char* name :
         {"ddim", "ddim_v_zsnr_trailing", "euler", "euler_trailing", "euler_karras", "euler_a", "heun", "dpmpp_2m",
          "dpmpp_2m_karras", "dpmpp_2m_v", "dpmpp_2m_sde_karras", "unipc", "lcm", "tcd", "flow_euler_shift3"})
        for (int steps : {4, 8, 20})
            for (double strength : {1.0, 0.6}) all.push_back({name, steps, strength});
    return all;
}

INSTANTIATE_TEST_SUITE_P(All, SamplerTrajectory, ::testing::ValuesIn(trajectories()), [](const auto& test) {
    return fmt::format("{}_n{}_s{}", test.param.name, test.param.steps, static_cast<int>(test.param.strength * 10));
});

/// A sampler of a kind with the settings of latent diffusion models.
Result<std::unique_ptr<Sampler>> samplerOf(const char* name, int steps, double strength = 1.0) {
    RB_ASSIGN(const SamplerSettings settings,
              settingsNamed(name, latentDiffusionSettings(PredictionType::Epsilon, false)));
    return Sampler::create(settings, steps, strength);
}

const std::vector<float> kClean{0.3f, -0.7f, 1.1f, 0.0f};
const std::vector<float> kNoise{-0.5f, 1.2f, 0.1f, -1.4f};

/// A model that knows the noise leads every sampler without fresh noise back to the clean latents.
TEST(Sampler, TheTrueNoiseLeadsBackToTheCleanLatents) {
    for (const char* name : {"ddim", "euler", "heun", "dpm++ 2m", "dpm++ 2m karras", "unipc", "unipc exponential"}) {
        for (int steps : {1, 2, 7, 30}) {
            const auto sampler = samplerOf(name, steps);
            ASSERT_TRUE(sampler) << sampler.error().message;
            EXPECT_FALSE((*sampler)->drawsNoise());
            TorchCpuNoise unused(0);
            std::vector<float> latents(4), held(4);
            ASSERT_TRUE((*sampler)->start(kClean, kNoise, latents));
            for (std::size_t i = 0; i < (*sampler)->evaluations(); ++i) {
                (*sampler)->addNoise(kClean, kNoise, i, held);
                for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(latents[k], held[k], 2e-4) << name << " " << steps;
                ASSERT_TRUE((*sampler)->step(i, kNoise, latents, unused));
            }
            (*sampler)->addNoise(kClean, kNoise, (*sampler)->evaluations(), held);
            for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(latents[k], held[k], 2e-4) << name << " " << steps;
            // ddim of these models ends at the first training timestep, which has a little noise left
            for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(latents[k], kClean[k], 0.05) << name << " " << steps;
        }
    }
}

TEST(Sampler, StrengthLeavesOutTheFirstSteps) {
    const auto whole = samplerOf("ddim", 10), part = samplerOf("ddim", 10, 0.45);
    ASSERT_TRUE(whole && part);
    EXPECT_EQ((*part)->evaluations(), 4u);
    EXPECT_EQ((*part)->timestep(0), (*whole)->timestep(6));
    const auto lcm = samplerOf("lcm", 4, 0.5);
    ASSERT_TRUE(lcm);
    EXPECT_EQ((*lcm)->evaluations(), 4u);
    EXPECT_EQ((*lcm)->timestep(0), 499.0f);
    EXPECT_EQ((*samplerOf("heun", 8, 0.5))->evaluations(), 7u);
}

TEST(Sampler, SenselessStepsAndStrengthsAreRefused) {
    for (int steps : {-1, 0, 1001}) EXPECT_FALSE(samplerOf("euler", steps)) << steps;
    for (double strength : {0.0, -1.0, 1.5, std::nan("")}) EXPECT_FALSE(samplerOf("euler", 20, strength)) << strength;
    EXPECT_NE(samplerOf("ddim", 4, 0.1).error().message.find("at least 10"), std::string::npos);
    EXPECT_NE(samplerOf("lcm", 60).error().message.find("at most 50 steps"), std::string::npos);
    EXPECT_TRUE(samplerOf("ddim", 999));
    EXPECT_TRUE(samplerOf("euler", 1000));
    EXPECT_NE(samplerOf("ddim", 1000).error().message.find("fewer steps"), std::string::npos);
    EXPECT_NE(samplerOf("dpm++ 2m", 1000).error().message.find("fewer steps"), std::string::npos);
}

TEST(Sampler, ListedTimestepsAreTakenAsTheyAre) {
    SamplerSettings settings = latentDiffusionSettings(PredictionType::Epsilon, false);
    for (const SamplerKind kind : {SamplerKind::Ddim, SamplerKind::Euler, SamplerKind::Lcm, SamplerKind::Tcd}) {
        settings.kind = kind;
        settings.customTimesteps = {999, 749, 499, 249};
        const auto sampler = Sampler::create(settings, 4, 0.5);
        ASSERT_TRUE(sampler) << sampler.error().message;
        ASSERT_EQ((*sampler)->evaluations(), 2u);
        EXPECT_EQ((*sampler)->timestep(0), 499.0f);
        EXPECT_EQ((*sampler)->timestep(1), 249.0f);
        EXPECT_FALSE(Sampler::create(settings, 5));
    }
    for (const std::vector<int>& list : {std::vector<int>{5, 5}, {1, 2}, {1000}, {3, -1}}) {
        settings.customTimesteps = list;
        EXPECT_FALSE(Sampler::create(settings, static_cast<int>(list.size())));
    }
}

TEST(Sampler, StartBeginsANewRun) {
    for (const char* name : {"heun", "dpm++ 2m", "unipc"}) {
        const auto sampler = samplerOf(name, 5);
        ASSERT_TRUE(sampler);
        TorchCpuNoise unused(0);
        std::vector<float> results[2];
        for (auto& latents : results) {
            latents.resize(4);
            ASSERT_TRUE((*sampler)->start({}, kNoise, latents));
            for (std::size_t i = 0; i < (*sampler)->evaluations(); ++i)
                ASSERT_TRUE((*sampler)->step(i, kClean, latents, unused));
        }
        EXPECT_EQ(results[0], results[1]) << name;
    }
}

#ifdef NDEBUG
TEST(Sampler, StepsOutOfTurnAndOtherSizesAreOurOwnFault) {
    const auto sampler = samplerOf("euler", 3);
    ASSERT_TRUE(sampler);
    TorchCpuNoise unused(0);
    std::vector<float> latents(4), other(3);
    EXPECT_EQ((*sampler)->start({}, kNoise, other).error().code, StatusCode::Internal);
    ASSERT_TRUE((*sampler)->start({}, kNoise, latents));
    EXPECT_EQ((*sampler)->step(1, kNoise, latents, unused).error().code, StatusCode::Internal);
    EXPECT_EQ((*sampler)->step(0, other, latents, unused).error().code, StatusCode::Internal);
}
#endif

}  // namespace
}  // namespace reelbrush::diffusion
