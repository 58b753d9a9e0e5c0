#include "kernels/cpu/quantise_cpu.h"

#include "kernels/cpu/simd_limit.h"
#include "tests/kernels/support/test_tensor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace reelbrush::kernels {
namespace {

/// Runs every case under each width of vectors; the widest is whatever this processor has.
class Quantise : public testing::TestWithParam<SimdLimit> {
  protected:
    void SetUp() override { setSimdLimit(GetParam()); }
    void TearDown() override { setSimdLimit(SimdLimit::Best); }
};

INSTANTIATE_TEST_SUITE_P(Limits, Quantise, testing::Values(SimdLimit::Sse4, SimdLimit::Avx2, SimdLimit::Best));

TEST_P(Quantise, TheLargestValueCountsWhereverItIs) {
    for (const std::int64_t channels : {1, 3, 15, 16, 17, 63, 64, 65, 130, 1003}) {
        for (const std::int64_t place : {std::int64_t{0}, channels / 2, channels - 1}) {
            std::vector<float> values = randomTensor({channels}, 1).values;
            values[static_cast<std::size_t>(place)] = -254.0f;
            std::vector<std::int8_t> out(values.size());
            float scale = 0.0f;
            quantiseRowsToS8({.values = values.data(), .rows = 1, .channels = channels}, out.data(), &scale);
            EXPECT_EQ(scale, 2.0f) << channels << " at " << place;
            EXPECT_EQ(out[static_cast<std::size_t>(place)], -127);
        }
    }
}

TEST_P(Quantise, RoundsToNearestWithTiesToEven) {
    const std::vector<float> values{127.0f, 0.0f, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 126.6f, -126.4f};
    std::vector<std::int8_t> out(values.size());
    float scale = 0.0f;
    quantiseRowsToS8({.values = values.data(), .rows = 1, .channels = 9}, out.data(), &scale);
    EXPECT_EQ(out, (std::vector<std::int8_t>{127, 0, 0, 2, 2, 0, -2, 127, -126}));
}

TEST_P(Quantise, RowsHaveTheirOwnScales) {
    for (const std::int64_t channels : {1, 3, 32, 77, 320}) {
        TestTensor tensor = normalTensor({5, channels}, 3);
        std::fill_n(tensor.values.begin() + 2 * channels, channels, 0.0f);
        for (std::int64_t c = 0; c < channels; ++c)
            tensor.values[static_cast<std::size_t>(3 * channels + c)] *= 1000.0f;
        std::vector<std::int8_t> out(tensor.values.size());
        std::vector<float> scales(5, -1.0f);
        quantiseRowsToS8({.values = tensor.values.data(), .rows = 5, .channels = channels, .threads = 2}, out.data(),
                         scales.data());
        EXPECT_EQ(scales[2], 0.0f);
        for (std::size_t i = 0; i < tensor.values.size(); ++i) {
            const float scale = scales[i / static_cast<std::size_t>(channels)];
            EXPECT_NEAR(out[i] * scale, tensor.values[i], 0.501f * scale) << channels << " at " << i;
        }
        for (std::int64_t row : {0, 1, 3, 4}) {
            const auto* begin = out.data() + row * channels;
            EXPECT_TRUE(std::any_of(begin, begin + channels, [](int q) { return std::abs(q) == 127; })) << row;
        }
    }
}

}  // namespace
}  // namespace reelbrush::kernels
