#include "engine/cache/frame_codec.h"

#include "engine/cache/information.h"
#include "tests/engine/cache/test_frames.h"

#include <gtest/gtest.h>

#include <random>

namespace reelbrush::cache::testing {
namespace {

constexpr SampleType kTypes[] = {SampleType::Bits8, SampleType::Bits10, SampleType::Bits16, SampleType::Float16,
                                 SampleType::Float32};

std::vector<std::byte> unpacked(const FrameShape& shape, const PackedFrame& packed, std::vector<std::byte> base = {}) {
    base.resize(shape.sizeBytes(), std::byte{0xa5});
    const Status status = unpackFrame(shape, packed.bytes, base);
    EXPECT_TRUE(status) << status.error().message;
    return base;
}

class Formats : public ::testing::TestWithParam<SampleType> {};

TEST_P(Formats, OfOddSizesComeBackExactly) {
    const SampleType type = GetParam();
    // The last one has rows of more than a band, and the one before bands that do not divide it.
    const FrameShape shapes[] = {{type, 1, 1, 3}, {type, 1, 9, 4},   {type, 17, 1, 3},    {type, 31, 23, 4},
                                 {type, 5, 7, 1}, {type, 13, 3, 16}, {type, 641, 359, 3}, {type, 65'536, 2, 5}};
    for (const FrameShape& shape : shapes) {
        const TestFrame before = makeFrame(shape, 1), frame = makeFrame(shape, 2), noise = makeNoise(shape, 3);
        EXPECT_EQ(unpacked(shape, packFrame(frame.view())), frame.bytes);
        EXPECT_EQ(unpacked(shape, packFrame(noise.view())), noise.bytes);
        const PackedFrame delta = packFrame(frame.view(), before.bytes);
        EXPECT_EQ(unpacked(shape, delta, before.bytes), frame.bytes) << shape.width << "x" << shape.height;
        EXPECT_EQ(unpacked(shape, packFrame(noise.view(), before.bytes), before.bytes), noise.bytes);
    }
}

TEST_P(Formats, NeedNoBaseWhereNoneWasUsed) {
    const FrameShape shape{GetParam(), 33, 21, 3};
    const PackedFrame packed = packFrame(makeFrame(shape, 5).view(), makeNoise(shape, 6).bytes);
    EXPECT_FALSE(packed.usesBase);
    EXPECT_EQ(unpacked(shape, packed), makeFrame(shape, 5).bytes);
}

TEST_P(Formats, OfFramesThatHardlyChangeTakeLittle) {
    const FrameShape shape{GetParam(), 200, 100, 3};
    const TestFrame before = makeNoise(shape, 1);
    TestFrame frame = before;
    for (std::size_t i = 0; i < frame.bytes.size(); i += 997) frame.bytes[i] ^= std::byte{1};
    const PackedFrame delta = packFrame(frame.view(), before.bytes);
    EXPECT_TRUE(delta.usesBase);
    EXPECT_LT(delta.bytes.size(), frame.bytes.size() / 20);
    EXPECT_LE(packFrame(frame.view()).bytes.size(), frame.bytes.size() + 64);  // noise takes hardly more than itself
}

TEST_P(Formats, RefusesWhatIsNoPackedFrame) {
    const FrameShape shape{GetParam(), 40, 30, 3};
    const PackedFrame packed = packFrame(makeFrame(shape, 1).view());
    std::vector<std::byte> frame(shape.sizeBytes());
    for (std::size_t size = 0; size < packed.bytes.size(); size += 1 + size / 4)
        EXPECT_FALSE(unpackFrame(shape, std::span(packed.bytes).first(size), frame));
    auto longer = packed.bytes;
    longer.push_back(std::byte{0});
    EXPECT_FALSE(unpackFrame(shape, longer, frame));
    std::mt19937 random(1);
    for (int round = 0; round < 300; ++round) {  // whatever comes of them: no crash, and no byte outside of the frame
        auto bytes = packed.bytes;
        for (int i = 0; i < 3; ++i) bytes[random() % bytes.size()] = static_cast<std::byte>(random() & 255);
        (void)unpackFrame(shape, bytes, frame);
    }
    frame.pop_back();
    EXPECT_FALSE(unpackFrame(shape, packed.bytes, frame));
}

INSTANTIATE_TEST_SUITE_P(All, Formats, ::testing::ValuesIn(kTypes),
                         [](const auto& test) { return "Type" + std::to_string(static_cast<int>(test.param)); });

TEST(FrameCodec, PicturesTakeLessThanHalf) {
    const FrameShape shape{SampleType::Bits8, 320, 180, 3};
    EXPECT_LT(packFrame(makeFrame(shape, 3).view()).bytes.size(), shape.sizeBytes() / 2);
}

TEST(FrameFormat, RefusesWhatIsNoFrame) {
    const TestFrame frame = makeFrame(kSmall, 1);
    EXPECT_TRUE(checkFrame(frame.view()));
    const FrameShape wrong[] = {{SampleType::Bits8, 0, 30, 3},   {SampleType::Bits8, 40, -1, 3},
                                {SampleType::Bits8, 40, 30, 0},  {SampleType::Bits8, 65'537, 1, 3},
                                {SampleType::Bits8, 40, 30, 65}, {static_cast<SampleType>(9), 40, 30, 3}};
    for (const FrameShape& shape : wrong) EXPECT_FALSE(checkFrame({shape, frame.bytes}));
    const Status status = checkFrame({kSmall, std::span(frame.bytes).first(100)});
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find("3600 bytes, but 100"), std::string::npos) << status.error().message;
}

TEST(Information, OfPlainFramesIsNothingAndOfNoiseAll) {
    for (const SampleType type : kTypes) {
        const FrameShape shape{type, 256, 64, 3};
        const std::vector<std::byte> plain(shape.sizeBytes(), std::byte{0x3c});
        EXPECT_LT(informationOf({shape, plain}), 0.5);
        EXPECT_GT(informationOf(makeNoise(shape, 1).view()), 7.4);
        const double between = informationOf(makeFrame(shape, 1).view());
        EXPECT_GT(between, 0.1);
        EXPECT_LT(between, 6);
    }
    const std::byte one{1};
    EXPECT_EQ(informationOf({{SampleType::Bits8, 1, 1, 1}, std::span(&one, 1)}), 0);
    EXPECT_EQ(byteEntropy({}), 0);
}

}  // namespace
}  // namespace reelbrush::cache::testing
