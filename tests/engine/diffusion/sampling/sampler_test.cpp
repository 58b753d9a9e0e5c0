#include "engine/diffusion/sampling/sampler.h"

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

}  // namespace
}  // namespace reelbrush::diffusion
