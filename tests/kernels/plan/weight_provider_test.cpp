#include "kernels/plan/weight_provider.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <vector>

namespace reelbrush::kernels {
namespace {

TEST(WeightView, ConvertsEveryStoredType) {
    const std::array<std::uint16_t, 2> halves{0x3c00, 0xc000};
    const std::array<std::uint16_t, 2> brains{0x3f80, 0xc000};
    const std::array<std::int64_t, 2> longs{1, -2};
    const std::array<double, 2> doubles{1.0, -2.0};
    for (const auto& [type, data] :
         std::initializer_list<std::pair<DType, const void*>>{{DType::F16, halves.data()},
                                                              {DType::BF16, brains.data()},
                                                              {DType::I64, longs.data()},
                                                              {DType::F64, doubles.data()}}) {
        std::array<float, 2> out{};
        WeightView{type, {2}, data}.toFloat(out.data());
        EXPECT_EQ(out[0], 1.0f) << nameOf(type);
        EXPECT_EQ(out[1], -2.0f) << nameOf(type);
    }
}

TEST(WeightView, EveryBitPatternOfSmallFloatsIsConvertedExactly) {
    std::vector<std::uint16_t> words(65536);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint16_t>(i);
    std::vector<std::uint8_t> bytes(256);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
    const auto check = [](DType type, const auto& stored, const auto& convert) {
        std::vector<float> out(stored.size());
        WeightView{type, {static_cast<std::int64_t>(stored.size())}, stored.data()}.toFloat(out.data());
        for (std::size_t i = 0; i < stored.size(); ++i) {
            const float expected = convert(stored[i]);
            if (std::isnan(expected))
                ASSERT_TRUE(std::isnan(out[i])) << nameOf(type) << " " << i;
            else
                ASSERT_EQ(std::bit_cast<std::uint32_t>(out[i]), std::bit_cast<std::uint32_t>(expected))
                    << nameOf(type) << " " << i;
        }
    };
    check(DType::F16, words, halfToFloat);
    check(DType::BF16, words, bfloat16ToFloat);
    check(DType::F8E4M3, bytes, float8E4M3ToFloat);
    check(DType::F8E5M2, bytes, float8E5M2ToFloat);
}

TEST(WeightView, Int8RowsTakeTheirScales) {
    const std::array<std::int8_t, 4> stored{10, -20, 127, -127};
    const std::array<std::uint16_t, 2> scales{0x3800, 0x3c00};  // 0.5, 1
    std::array<float, 4> out{};
    const WeightView view{DType::I8, {2, 2}, stored.data(), scales.data()};
    EXPECT_TRUE(view.isQuantised());
    view.toFloat(out.data());
    EXPECT_EQ(out, (std::array<float, 4>{5, -10, 127, -127}));
}

}  // namespace
}  // namespace reelbrush::kernels
