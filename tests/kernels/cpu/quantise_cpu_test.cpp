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

TEST_P(Quantise, AbsoluteMaximumSeesEveryPlace) {
    for (const std::int64_t count : {1, 3, 15, 16, 17, 63, 64, 65, 130, 100003}) {
        TestTensor tensor = randomTensor({count}, 1);
        for (const std::int64_t place : {std::int64_t{0}, count / 2, count - 1}) {
            std::vector<float> values = tensor.values;
            values[static_cast<std::size_t>(place)] = -7.25f;
            EXPECT_EQ(absoluteMaximum(values.data(), count, 2), 7.25f) << count << " at " << place;
        }
    }
    EXPECT_EQ(absoluteMaximum(nullptr, 0, 2), 0.0f);
}

TEST_P(Quantise, RoundsToNearestWithTiesToEvenAndClamps) {
    const std::vector<float> values{0.0f,   0.5f,   1.5f,   2.5f,    -0.5f,   -1.5f,
                                    126.6f, 127.4f, 500.0f, -127.4f, -128.0f, -1e9f};
    std::vector<std::int8_t> out(values.size());
    quantiseToS8({.values = values.data(), .count = 12}, out.data());
    EXPECT_EQ(out, (std::vector<std::int8_t>{0, 0, 2, 2, 0, -2, 127, 127, 127, -127, -127, -127}));
    std::vector<std::uint8_t> bytes(values.size());
    quantiseToU8({.values = values.data(), .count = 12}, 255, bytes.data());
    EXPECT_EQ(bytes, (std::vector<std::uint8_t>{0, 0, 2, 2, 0, 0, 127, 127, 255, 0, 0, 0}));
    quantiseToU8({.values = values.data(), .count = 12}, 127, bytes.data());
    EXPECT_EQ(bytes[8], 127);
}

TEST_P(Quantise, BlocksMatchScalarArithmeticAtEverySize) {
    for (const std::int64_t count : {1, 5, 16, 31, 64, 67, 257, 70001}) {
        const TestTensor tensor = normalTensor({count}, 2, 0.0f, 3.0f);
        const float inverse = 127.0f / 9.0f;
        std::vector<std::int8_t> out(tensor.values.size() + 1, 99);
        std::vector<std::uint8_t> bytes(tensor.values.size() + 1, 99);
        const QuantiseBlock block{
            .values = tensor.values.data(), .count = count, .inverseScale = inverse, .threads = 2};
        quantiseToS8(block, out.data());
        quantiseToU8(block, 255, bytes.data());
        for (std::size_t i = 0; i < tensor.values.size(); ++i) {
            const float rounded = std::nearbyint(tensor.values[i] * inverse);
            ASSERT_EQ(out[i], static_cast<int>(std::clamp(rounded, -127.0f, 127.0f))) << count << " at " << i;
            ASSERT_EQ(bytes[i], static_cast<int>(std::clamp(rounded, 0.0f, 255.0f))) << count << " at " << i;
        }
        EXPECT_EQ(out.back(), 99) << "wrote behind the block";
        EXPECT_EQ(bytes.back(), 99) << "wrote behind the block";
    }
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
