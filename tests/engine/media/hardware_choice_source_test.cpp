#include "engine/media/decoder_choice.h"
#include "engine/media/frame_decoder.h"
#include "tests/engine/media/source_test_kit.h"

#include <gmock/gmock.h>

namespace reelbrush::media::test {

namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<HardwareDecoder> kUsualCard{
    {"h264", 8, 48, 16, 4096, 4096, 65536},     {"hevc", 8, 144, 144, 8192, 8192, 262144},
    {"hevc", 10, 144, 144, 8192, 8192, 262144}, {"vp9", 8, 128, 128, 8192, 8192, 262144},
    {"av1", 8, 128, 128, 8192, 8192, 262144},   {"av1", 10, 128, 128, 8192, 8192, 262144}};

Result<std::vector<HardwareDecoder>> usualCard(int /*device*/) {
    return kUsualCard;
}

Result<std::vector<HardwareDecoder>> cardWithoutH264(int /*device*/) {
    return std::vector<HardwareDecoder>{kUsualCard[1]};
}

Result<std::vector<HardwareDecoder>> cardWithoutVideo(int /*device*/) {
    return fail(StatusCode::Unsupported, "the video library is missing");
}

std::string reason(AVCodecID codec, AVPixelFormat format, int width, int height) {
    return reasonAgainstHardware({codec, format, width, height, false}, kUsualCard);
}

}  // namespace

TEST(HardwareChoice, TakesWhatTheCardDecodesToTheBit) {
    EXPECT_THAT(reason(AV_CODEC_ID_H264, AV_PIX_FMT_YUV420P, 1920, 1080), IsEmpty());
    EXPECT_THAT(reason(AV_CODEC_ID_H264, AV_PIX_FMT_YUVJ420P, 1920, 1080), IsEmpty());
    EXPECT_THAT(reason(AV_CODEC_ID_HEVC, AV_PIX_FMT_YUV420P10LE, 3840, 2160), IsEmpty());
    EXPECT_THAT(reason(AV_CODEC_ID_VP9, AV_PIX_FMT_YUV420P, 1280, 720), IsEmpty());
    EXPECT_THAT(reason(AV_CODEC_ID_AV1, AV_PIX_FMT_YUV420P10LE, 1280, 720), IsEmpty());
}

TEST(HardwareChoice, LeavesTheRestToTheProcessorAndSaysWhy) {
    EXPECT_THAT(reason(AV_CODEC_ID_H264, AV_PIX_FMT_YUV420P10LE, 640, 360), HasSubstr("10 bits"));
    EXPECT_THAT(reason(AV_CODEC_ID_H264, AV_PIX_FMT_YUV422P, 640, 360), HasSubstr("4:2:0"));
    EXPECT_THAT(reason(AV_CODEC_ID_HEVC, AV_PIX_FMT_YUV444P, 640, 360), HasSubstr("4:2:0"));
    EXPECT_THAT(reason(AV_CODEC_ID_HEVC, AV_PIX_FMT_GRAY8, 640, 360), HasSubstr("4:2:0"));
    EXPECT_THAT(reason(AV_CODEC_ID_PRORES, AV_PIX_FMT_YUV422P10LE, 640, 360), HasSubstr("takes no prores"));
    EXPECT_THAT(reason(AV_CODEC_ID_MPEG2VIDEO, AV_PIX_FMT_YUV420P, 640, 360), HasSubstr("takes no mpeg2video"));
    EXPECT_THAT(reason(AV_CODEC_ID_VP9, AV_PIX_FMT_YUV420P, 641, 360), HasSubstr("even"));
    EXPECT_THAT(reason(AV_CODEC_ID_H264, AV_PIX_FMT_NONE, 640, 360), HasSubstr("4:2:0"));
    const StreamTraits withAlpha{AV_CODEC_ID_VP9, AV_PIX_FMT_YUV420P, 640, 360, true};
    EXPECT_THAT(reasonAgainstHardware(withAlpha, kUsualCard), HasSubstr("alpha"));
}

TEST(HardwareChoice, KeepsToTheCardsSizes) {
    EXPECT_THAT(reason(AV_CODEC_ID_HEVC, AV_PIX_FMT_YUV420P, 142, 360), HasSubstr("144x144"));
    EXPECT_THAT(reason(AV_CODEC_ID_H264, AV_PIX_FMT_YUV420P, 4098, 16), HasSubstr("4096x4096"));
    EXPECT_THAT(reason(AV_CODEC_ID_H264, AV_PIX_FMT_YUV420P, 4096, 4096), IsEmpty());
    const std::vector<HardwareDecoder> weak{{"h264", 8, 48, 16, 4096, 4096, 8160}};
    EXPECT_THAT(reasonAgainstHardware({AV_CODEC_ID_H264, AV_PIX_FMT_YUV420P, 1920, 1080, false}, weak), IsEmpty());
    EXPECT_THAT(reasonAgainstHardware({AV_CODEC_ID_H264, AV_PIX_FMT_YUV420P, 1920, 1090, false}, weak),
                HasSubstr("not 1920x1090"));
}

class HardwareFallbackTest : public SourceTest {
  protected:
    std::unique_ptr<FrameDecoder> open(Result<std::vector<HardwareDecoder>> (*probe)(int)) const {
        DecodeOptions options;
        options.cudaDevice = 1000;  // no machine has it
        options.probe = probe;
        auto decoder = FrameDecoder::open(file("clip.mp4"), options);
        EXPECT_TRUE(decoder) << decoder.error().message;
        return decoder ? std::move(*decoder) : nullptr;
    }
    static int countFrames(FrameDecoder& decoder) {
        int count = 0;
        for (auto frame = decoder.next(); frame && *frame; frame = decoder.next()) ++count;
        return count;
    }
};

TEST_F(HardwareFallbackTest, TheProcessorDecodesWhatTheCardCannot) {
    SKIP_WITHOUT_FFMPEG();
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -c:v libx264 -pix_fmt yuv420p clip.mp4");
    for (const auto& [probe, reason] :
         {std::pair{&cardWithoutH264, "takes no h264"}, std::pair{&cardWithoutVideo, "the video library is missing"}}) {
        const auto decoder = open(probe);
        ASSERT_TRUE(decoder);
        EXPECT_FALSE(decoder->usesHardware());
        ASSERT_EQ(decoder->notes().size(), 1U);
        EXPECT_THAT(decoder->notes()[0], HasSubstr(reason));
        EXPECT_EQ(countFrames(*decoder), 10);
        EXPECT_EQ(decoder->notes().size(), 1U);
    }
}

TEST_F(HardwareFallbackTest, TheProcessorDecodesWhereTheCardCannotBeOpened) {
    SKIP_WITHOUT_FFMPEG();
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -c:v libx264 -pix_fmt yuv420p clip.mp4");
    const auto decoder = open(usualCard);
    ASSERT_TRUE(decoder);
    EXPECT_FALSE(decoder->usesHardware());
    ASSERT_EQ(decoder->notes().size(), 1U);
    EXPECT_THAT(decoder->notes()[0], HasSubstr("decoded by the processor"));
    EXPECT_EQ(countFrames(*decoder), 10);
}

TEST_F(HardwareFallbackTest, PicturesAndMissingDriversAreNoNews) {
    SKIP_WITHOUT_FFMPEG();
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -frames:v 1 clip.png");
    OpenOptions options;
    options.cudaDevice = 0;
    const auto source = openFrameSource(file("clip.png"), options);
    ASSERT_TRUE(source) << source.error().message;
    EXPECT_THAT((*source)->notes(), IsEmpty());
}

}  // namespace reelbrush::media::test
