#include "engine/diffusion/sampling/torch_noise.h"

#include "tests/engine/diffusion/golden_tensors.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

namespace reelbrush::diffusion {
namespace {

struct Draw {
    const char* key;
    std::uint64_t seed;
    std::size_t count;
};

class TorchNoise : public ::testing::TestWithParam<Draw> {};

TEST_P(TorchNoise, MatchesPyTorchsCpuGenerator) {
    const testing::GoldenTensors golden(testing::fixturesFolder() / "rng" / "torch_randn.safetensors");
    const auto expected = golden.values(GetParam().key);
    std::vector<float> drawn(GetParam().count);
    TorchCpuNoise(GetParam().seed).fill(drawn);
    drawn.resize(expected.size());
    EXPECT_EQ(drawn, expected) << "bit for bit";
}

INSTANTIATE_TEST_SUITE_P(Seeds, TorchNoise,
                         ::testing::Values(Draw{"cpu.seed0.1", 0, 1}, Draw{"cpu.seed0.7", 0, 7},
                                           Draw{"cpu.seed0.16", 0, 16}, Draw{"cpu.seed0.17", 0, 17},
                                           Draw{"cpu.seed0.4x9x13", 0, 4 * 9 * 13},
                                           Draw{"cpu.seed42.1x4x64x64", 42, 4 * 64 * 64}, Draw{"cpu.seed42.7", 42, 7},
                                           Draw{"cpu.seed2147483647.4x9x13", 2147483647, 4 * 9 * 13},
                                           Draw{"cpu.seed1234567890123.17", 1234567890123, 17},
                                           Draw{"cpu.seed1234567890123.1x4x64x64", 1234567890123, 4 * 64 * 64}));

TEST(TorchNoise, ASecondDrawGoesOnWhereTheFirstEnded) {
    const testing::GoldenTensors golden(testing::fixturesFolder() / "rng" / "torch_randn.safetensors");
    TorchCpuNoise noise(42);
    std::vector<float> drawn(4 * 8 * 8);
    noise.fill(drawn);
    noise.fill(drawn);
    EXPECT_EQ(drawn, golden.values("cpu.seed42.second_call.4x8x8"));
}

TEST(TorchNoise, LatentNoiseIsDrawnInPlanesAndStoredByPixel) {
    std::vector<float> planes(2 * 3 * 4), pixels(planes.size());
    TorchCpuNoise(7).fill(planes);
    fillLatentNoise(7, 2, 3, 4, pixels);
    for (std::size_t c = 0; c < 4; ++c)
        for (std::size_t p = 0; p < 6; ++p) EXPECT_EQ(pixels[p * 4 + c], planes[c * 6 + p]);
}

}  // namespace
}  // namespace reelbrush::diffusion
