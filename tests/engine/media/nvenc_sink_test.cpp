#include "engine/media/cuda_driver.h"
#include "engine/media/encoder_choice.h"
#include "engine/media/hardware_encoders.h"
#include "engine/media/pixel_converter.h"
#include "tests/engine/media/sink_test_kit.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace reelbrush::media {

namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;

Result<EncoderChoice> chooseNvenc(const char* codec, int bits = 8, int quality = 80) {
    EncodeOptions options;
    options.codec = codec;
    options.encoder = EncoderPlace::Nvenc;
    options.quality = quality;
    return chooseVideoEncoder(*containerFor("film.mkv"), {640, 360, bits, false}, options);
}

#define SKIP_WITHOUT_NVENC_IN_FFMPEG() \
    if (!avcodec_find_encoder_by_name("hevc_nvenc")) GTEST_SKIP() << "FFmpeg was built without NVENC"

}  // namespace

TEST(NvencChoice, MapsQualityAndKeepsFramesInOrder) {
    SKIP_WITHOUT_NVENC_IN_FFMPEG();
    for (const auto& [quality, cq] : {std::pair{0, "45"}, {80, "19"}, {100, "7"}}) {
        const auto choice = chooseNvenc("h264", 8, quality);
        ASSERT_TRUE(choice) << choice.error().message;
        EXPECT_STREQ(choice->codec->name, "h264_nvenc");
        EXPECT_EQ(choice->format, AV_PIX_FMT_YUV420P);
        EXPECT_THAT(choice->options, Contains(Pair("cq", cq)));
        EXPECT_THAT(choice->options, Contains(Pair("bf", "0")));
        EXPECT_TRUE(choice->notes.empty());
    }
}

TEST(NvencChoice, TenBitsAreP010) {
    SKIP_WITHOUT_NVENC_IN_FFMPEG();
    const auto hevc = chooseNvenc("h265", 10);
    ASSERT_TRUE(hevc) << hevc.error().message;
    EXPECT_EQ(hevc->format, AV_PIX_FMT_P010LE);
    EXPECT_TRUE(hevc->notes.empty());
}

TEST(NvencChoice, RefusesCodecsThatNoCardEncodes) {
    for (const char* codec : {"prores", "ffv1", "vp9", "libx264", "nonsense"}) {
        const auto choice = chooseNvenc(codec);
        ASSERT_FALSE(choice) << codec;
        EXPECT_EQ(choice.error().code, StatusCode::Unsupported);
        EXPECT_THAT(choice.error().message, HasSubstr(codec));
        EXPECT_THAT(choice.error().message, HasSubstr("NVENC"));
    }
}

TEST(NvencChoice, P010HoldsTheSamplesOfTheTenBitPlanes) {
    const OutputColour colour{1, 1, 1, false, 1};
    auto planar = PixelConverter::open(66, 34, AV_PIX_FMT_YUV420P10LE, colour);
    auto pairs = PixelConverter::open(66, 34, AV_PIX_FMT_P010LE, colour);
    ASSERT_TRUE(planar && pairs);
    const VideoFrame frame = movingFrame(66, 34, 3);
    const auto expected = (*planar)->convert(frame), packed = (*pairs)->convert(frame);
    ASSERT_TRUE(expected && packed);
    const auto sample = [](const AVFrame& from, int plane, int x, int y) {
        return reinterpret_cast<const std::uint16_t*>(from.data[plane] + std::ptrdiff_t{y} * from.linesize[plane])[x];
    };
    for (int y = 0; y < 34; ++y)
        for (int x = 0; x < 66; ++x) ASSERT_EQ(sample(**packed, 0, x, y), sample(**expected, 0, x, y) << 6);
    for (int y = 0; y < 17; ++y) {
        for (int x = 0; x < 33; ++x) {
            ASSERT_EQ(sample(**packed, 1, 2 * x, y), sample(**expected, 1, x, y) << 6);
            ASSERT_EQ(sample(**packed, 1, 2 * x + 1, y), sample(**expected, 2, x, y) << 6);
        }
    }
}

TEST(NvencSink, WithoutADriverAutoIsTheProcessorAndNvencAnError) {
    SKIP_WITHOUT_NVENC_IN_FFMPEG();
    if (hasCudaDriver()) GTEST_SKIP() << "there is a driver";
    const ScratchFolder folder;
    const ClipInfo clip = clipOf(96, 64);
    EncodeOptions options;
    options.cudaDevice = 0;
    EXPECT_TRUE(writeClip(folder / "auto.mp4", clip, 4, {}, options).empty());
    options.encoder = EncoderPlace::Processor;
    writeClip(folder / "processor.mp4", clip, 4, {}, options);
    EXPECT_EQ(std::filesystem::file_size(folder / "auto.mp4"), std::filesystem::file_size(folder / "processor.mp4"));

    options.encoder = EncoderPlace::Nvenc;
    const auto sink = openFrameSink(folder / "nvenc.mp4", 96, 64, clip, {}, options);
    ASSERT_FALSE(sink);
    EXPECT_EQ(sink.error().code, StatusCode::Unsupported);
    EXPECT_THAT(sink.error().message, HasSubstr("NVIDIA driver"));
    EXPECT_EQ(folder.contents().size(), 2U);
}

/// What a card says it encodes must come out whole; where it says that it does not, it must say why.
TEST(NvencSink, WritesFilmsWhereACardEncodes) {
    if (!hasCudaDriver()) GTEST_SKIP() << "there is no NVIDIA driver";
    const ScratchFolder folder;
    const ClipInfo clip = clipOf(640, 360);
    const auto encoders = probeHardwareEncoders(0);
    EncodeOptions options;
    options.encoder = EncoderPlace::Nvenc;
    options.cudaDevice = 0;
    if (!encoders) {
        const auto sink = openFrameSink(folder / "film.mp4", 640, 360, clip, {}, options);
        ASSERT_FALSE(sink);
        EXPECT_TRUE(folder.contents().empty());
        GTEST_SKIP() << encoders.error().message << " / " << sink.error().message;
    }
    SKIP_WITHOUT_FFMPEG();
    for (const std::string& encoder : *encoders) {
        options.codec = encoder;
        const auto file = folder / (encoder + ".mkv");
        writeClip(file, clip, 12, {}, options);
        EXPECT_EQ(videoStreamOf(probe(file))["nb_read_frames"], "12") << encoder;
    }
}

}  // namespace reelbrush::media
