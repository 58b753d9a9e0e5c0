#include "engine/diffusion/sampling/latent_noise.h"

#include "engine/diffusion/sampling/gpu_float.h"
#include "engine/diffusion/sampling/philox_noise.h"
#include "engine/diffusion/sampling/torch_noise.h"
#include "tests/engine/diffusion/golden_tensors.h"
#include "tests/support/test_data.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace reelbrush::diffusion {
namespace {

struct Draw {
    std::uint64_t seed;
    const char* shape;
    std::size_t count;
};

class Philox : public ::testing::TestWithParam<Draw> {};

TEST_P(Philox, MatchesPyTorchsCudaGenerator) {
    const testing::GoldenTensors golden(testing::fixturesFolder() / "rng" / "torch_randn.safetensors");
    const std::string key = fmt::format("cuda.seed{}.{}", GetParam().seed, GetParam().shape);
    const auto expected = golden.values(key);
    std::vector<float> drawn(GetParam().count);
    PhiloxNoise(GetParam().seed).fill(drawn);
    drawn.resize(expected.size());
    EXPECT_EQ(drawn, expected);
}

std::vector<Draw> draws() {
    std::vector<Draw> all;
    for (std::uint64_t seed :
         {std::uint64_t{0}, std::uint64_t{42}, std::uint64_t{2147483647}, std::uint64_t{1234567890123}})
        for (const Draw& draw : {Draw{seed, "1", 1}, Draw{seed, "7", 7}, Draw{seed, "17", 17},
                                 Draw{seed, "4x9x13", 468}, Draw{seed, "1x4x64x64", 16384}})
            all.push_back(draw);
    return all;
}
INSTANTIATE_TEST_SUITE_P(Seeds, Philox, ::testing::ValuesIn(draws()));

TEST(PhiloxNoise, ASecondDrawGoesOnWhereTheFirstEnded) {
    const testing::GoldenTensors golden(testing::fixturesFolder() / "rng" / "torch_randn.safetensors");
    for (std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1234567890123}}) {
        PhiloxNoise noise(seed);
        std::vector<float> drawn(4 * 8 * 8);
        noise.fill(drawn);
        noise.fill(drawn);
        const std::string key = fmt::format("cuda.seed{}.second_call.4x8x8", seed);
        EXPECT_EQ(drawn, golden.values(key));
    }
}

TEST(GpuFloat, StaysCloseToTheTrueFunctions) {
    for (int i = 0; i <= 10000; ++i) {
        const double angle = i * 6.2831853 / 10000;
        EXPECT_NEAR(gpuSine(static_cast<float>(angle)), std::sin(angle), 1e-6) << angle;
        const double x = std::exp(-i * 23.0 / 10000);
        EXPECT_NEAR(gpuLog(static_cast<float>(x)), std::log(static_cast<float>(x)), 3e-6) << x;
    }
}

/// Draws two pictures of 2x3 pixels and 4 channels.
std::vector<float> drawTwo(BatchDraw draw, NoiseGenerator generator = NoiseGenerator::TorchCpu) {
    std::vector<float> out(2 * 6 * 4);
    LatentNoise({generator, draw, 7, 4, 2}).fill(out);
    return out;
}

/// What a picture's pixels are, in PyTorch's order of planes.
std::vector<float> planesOf(const std::vector<float>& pixels, std::size_t picture) {
    std::vector<float> planes;
    for (std::size_t c = 0; c < 4; ++c)
        for (std::size_t p = 0; p < 6; ++p) planes.push_back(pixels[picture * 24 + p * 4 + c]);
    return planes;
}

std::vector<float> drawn(NoiseSource&& source, std::size_t count) {
    std::vector<float> values(count);
    source.fill(values);
    return values;
}

TEST(LatentNoise, TogetherIsOneDrawOfTheWholeBatch) {
    const auto pixels = drawTwo(BatchDraw::Together);
    const auto all = drawn(TorchCpuNoise(7), 48);
    EXPECT_EQ(planesOf(pixels, 0), std::vector<float>(all.begin(), all.begin() + 24));
    EXPECT_EQ(planesOf(pixels, 1), std::vector<float>(all.begin() + 24, all.end()));
}

TEST(LatentNoise, OneByOneCountsSeedsUp) {
    const auto pixels = drawTwo(BatchDraw::OneByOne, NoiseGenerator::Philox);
    EXPECT_EQ(planesOf(pixels, 0), drawn(PhiloxNoise(7), 24));
    EXPECT_EQ(planesOf(pixels, 1), drawn(PhiloxNoise(8), 24));
}

TEST(LatentNoise, SharedGivesEveryPictureTheSame) {
    const auto pixels = drawTwo(BatchDraw::Shared);
    EXPECT_EQ(planesOf(pixels, 0), drawn(TorchCpuNoise(7), 24));
    EXPECT_EQ(planesOf(pixels, 1), planesOf(pixels, 0));
}

TEST(LatentNoise, LaterDrawsGoOn) {
    LatentNoise noise({NoiseGenerator::TorchCpu, BatchDraw::Shared, 3, 1, 2});
    std::vector<float> first(40), second(40);
    noise.fill(first);
    noise.fill(second);
    EXPECT_NE(first, second);
    EXPECT_EQ(std::vector<float>(second.begin(), second.begin() + 20),
              std::vector<float>(second.begin() + 20, second.end()));
}

}  // namespace
}  // namespace reelbrush::diffusion
