#include "engine/media/yuv_converter.h"
#include "tests/engine/media/lossless_clip.h"
#include "tests/engine/media/source_test_kit.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>

#include <cmath>
#include <opencv2/core.hpp>

namespace reelbrush::media::test {

namespace {

struct Matrix {
    const char* name;
    int tag;
    double kr, kb;
};
constexpr Matrix k601{"smpte170m", 6, 0.299, 0.114};
constexpr Matrix k709{"bt709", 1, 0.2126, 0.0722};
constexpr Matrix k2020{"bt2020nc", 9, 0.2627, 0.0593};

/// The formulas of BT.601, BT.709 and BT.2020 for code values.
cv::Vec3d expectedRgb(int y, int cb, int cr, const Matrix& matrix, bool full, int bits) {
    const double unit = std::pow(2.0, bits - 8), largest = std::pow(2.0, bits) - 1;
    const double luma = full ? y / largest : (y - 16 * unit) / (219 * unit);
    const double scale = full ? largest : 224 * unit;
    const double blue = (cb - 128 * unit) / scale, red = (cr - 128 * unit) / scale;
    const double r = luma + 2 * (1 - matrix.kr) * red;
    const double b = luma + 2 * (1 - matrix.kb) * blue;
    return {r, (luma - matrix.kr * r - matrix.kb * b) / (1 - matrix.kr - matrix.kb), b};
}

void expectColour(const cv::Mat& rgb, const cv::Vec3d& expected, double tolerance) {
    const cv::Vec3d seen = middleColour(rgb);
    for (int channel = 0; channel < 3; ++channel) EXPECT_NEAR(seen[channel], expected[channel], tolerance) << channel;
}

}  // namespace

class ColourSourceTest : public SourceTest {
  protected:
    struct Tags {
        int matrix = AVCOL_SPC_UNSPECIFIED;
        AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
        AVColorTransferCharacteristic transfer = AVCOL_TRC_UNSPECIFIED;
        cv::Size size{32, 32};
    };
    /// A lossless clip of one frame of one colour.
    void makeFlat(const std::string& name, cv::Vec3i yuv, int bits, const Tags& tags) const {
        const Frame frame = flatFrame(tags.size, yuv, bits);
        frame->colorspace = static_cast<AVColorSpace>(tags.matrix);
        frame->color_range = tags.range;
        frame->color_trc = tags.transfer;
        encodeLossless(file(name), *frame);
    }
};

TEST_F(ColourSourceTest, FollowsMatrixRangeAndDepth) {
    const cv::Vec3i patches[] = {{120, 90, 170}, {60, 150, 110}, {16, 128, 128}, {235, 128, 128}};
    for (const Matrix& matrix : {k601, k709, k2020}) {
        for (const bool full : {false, true}) {
            for (const int bits : {8, 10, 12, 16}) {
                for (const cv::Vec3i& patch : patches) {
                    SCOPED_TRACE(
                        fmt::format("{} {} {} bits {}", matrix.name, full ? "full" : "limited", bits, patch[0]));
                    const cv::Vec3i yuv = patch * (1 << (bits - 8));
                    makeFlat("flat.mkv", yuv, bits, {matrix.tag, full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG});
                    const ReadResult clip = readWhole(file("flat.mkv"));
                    ASSERT_EQ(clip.frames.size(), 1U);
                    expectColour(clip.frames[0].rgb, expectedRgb(yuv[0], yuv[1], yuv[2], matrix, full, bits), 2e-5);
                    EXPECT_EQ(clip.info.video.colour.matrix, matrix.tag);
                    EXPECT_EQ(clip.info.video.colour.fullRange, full);
                    EXPECT_TRUE(clip.info.video.colour.rangeKnown);
                    EXPECT_EQ(clip.info.video.bitsPerComponent, bits);
                    if (bits > 8) break;
                }
            }
        }
    }
}

TEST_F(ColourSourceTest, KeepsOvershoot) {
    makeFlat("white.mkv", {250, 128, 128}, 8, {1, AVCOL_RANGE_MPEG});
    expectColour(readWhole(file("white.mkv")).frames.at(0).rgb, cv::Vec3d::all(234.0 / 219), 2e-5);
    makeFlat("black.mkv", {4, 128, 128}, 8, {1, AVCOL_RANGE_MPEG});
    expectColour(readWhole(file("black.mkv")).frames.at(0).rgb, cv::Vec3d::all(-12.0 / 219), 2e-5);
}

TEST_F(ColourSourceTest, GuessesUnspecifiedMatrixBySize) {
    makeFlat("sd.mkv", {120, 90, 170}, 8, {.size = {64, 576}});
    const ReadResult small = readWhole(file("sd.mkv"));
    EXPECT_EQ(small.info.video.colour.matrix, 2);
    EXPECT_FALSE(small.info.video.colour.rangeKnown);
    expectColour(small.frames.at(0).rgb, expectedRgb(120, 90, 170, k601, false, 8), 2e-5);
    makeFlat("hd.mkv", {120, 90, 170}, 8, {.size = {64, 578}});
    expectColour(readWhole(file("hd.mkv")).frames.at(0).rgb, expectedRgb(120, 90, 170, k709, false, 8), 2e-5);
}

TEST_F(ColourSourceTest, ReadsEveryLayoutOfYuv) {
    const Frame flat = flatFrame({36, 20}, {120, 90, 170}, 8);
    ColourTags tags;
    tags.matrix = tags.transfer = tags.primaries = 1;
    for (const AVPixelFormat format : {AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUV440P, AV_PIX_FMT_YUV411P,
                                       AV_PIX_FMT_YUV410P, AV_PIX_FMT_NV12, AV_PIX_FMT_NV21, AV_PIX_FMT_YUYV422,
                                       AV_PIX_FMT_UYVY422, AV_PIX_FMT_P010LE, AV_PIX_FMT_P016LE, AV_PIX_FMT_YUVA420P,
                                       AV_PIX_FMT_YUV420P10BE, AV_PIX_FMT_YUV422P9LE, AV_PIX_FMT_YUVA444P10LE}) {
        SCOPED_TRACE(av_get_pix_fmt_name(format));
        const Frame frame = inFormat(*flat, format);
        frame->width = 33;
        frame->height = 18;
        YuvConverter converter(false, 1);
        const auto rgb = converter.convert(*frame, tags);
        ASSERT_TRUE(rgb) << rgb.error().message;
        ASSERT_EQ(rgb->size(), cv::Size(33, 18));
        const cv::Vec3d expected = expectedRgb(120, 90, 170, k709, false, 8);
        for (int channel = 0; channel < 3; ++channel) {
            // The last column and row too; the step to more bits in this test is not quite exact.
            EXPECT_NEAR(rgb->at<cv::Vec3f>(17, 32)[channel], expected[channel], 8e-3);
            EXPECT_NEAR(rgb->at<cv::Vec3f>(0, 0)[channel], expected[channel], 8e-3);
        }
    }
}

TEST_F(ColourSourceTest, ReadsOddSizesToTheLastPixel) {
    for (const cv::Size size : {cv::Size(33, 17), cv::Size(1, 1), cv::Size(31, 2), cv::Size(2, 31)}) {
        SCOPED_TRACE(fmt::format("{}x{}", size.width, size.height));
        makeFlat("odd.mkv", {120, 90, 170}, 8, {1, AVCOL_RANGE_MPEG, AVCOL_TRC_UNSPECIFIED, size});
        const ReadResult clip = readWhole(file("odd.mkv"));
        ASSERT_EQ(clip.frames.size(), 1U);
        ASSERT_EQ(clip.frames[0].rgb.size(), size);
        EXPECT_EQ(clip.info.video.width, size.width);
        const cv::Vec3d expected = expectedRgb(120, 90, 170, k709, false, 8);
        for (int y = 0; y < size.height; ++y)
            for (int x = 0; x < size.width; ++x)
                for (int channel = 0; channel < 3; ++channel)
                    ASSERT_NEAR(clip.frames[0].rgb.at<cv::Vec3f>(y, x)[channel], expected[channel], 2e-5)
                        << x << "," << y;
    }
}

/// A chroma step between the two halves of a picture lies where the chroma location says.
TEST_F(ColourSourceTest, FollowsChromaLocation) {
    SKIP_WITHOUT_FFMPEG();
    std::string raw(std::size_t{16} * 16, static_cast<char>(128));
    for (int plane = 0; plane < 2; ++plane)
        for (int i = 0; i < 64; ++i) raw += static_cast<char>(i % 8 < 4 ? 108 : 148);
    writeFile("step.yuv", raw);
    double blue[2] = {};
    int i = 0;
    for (const char* location : {"left", "center"}) {
        ffmpeg(
            fmt::format("-f rawvideo -pix_fmt yuv420p -s 16x16 -i step.yuv -c:v libx264 -qp 0 -colorspace bt709 "
                        "-chroma_sample_location {} step.mp4",
                        location));
        const ReadResult clip = readWhole(file("step.mp4"));
        EXPECT_EQ(clip.info.video.colour.chromaLocation, i + 1);
        blue[i++] = clip.frames.at(0).rgb.at<cv::Vec3f>(8, 7)[2];
    }
    EXPECT_GT(std::abs(blue[0] - blue[1]), 0.01);
}

TEST_F(ColourSourceTest, RefusesHdrWithAdviceAndToneMapsOnRequest) {
    const struct {
        AVColorTransferCharacteristic transfer;
        const char* word;
        int grey;  // about the white of SDR
    } kinds[] = {{AVCOL_TRC_SMPTE2084, "PQ", 520}, {AVCOL_TRC_ARIB_STD_B67, "HLG", 650}};
    for (const auto& kind : kinds) {
        SCOPED_TRACE(kind.word);
        makeFlat("hdr.mkv", {kind.grey, 512, 512}, 10, {9, AVCOL_RANGE_MPEG, kind.transfer});
        const ReadResult refused = readAll(file("hdr.mkv"));
        EXPECT_EQ(refused.error.code, StatusCode::Unsupported);
        EXPECT_NE(refused.error.message.find(kind.word), std::string::npos);
        EXPECT_NE(refused.error.message.find("hdr.mkv"), std::string::npos);
        EXPECT_NE(refused.error.message.find("tone mapping"), std::string::npos);
        EXPECT_TRUE(inspectClip(file("hdr.mkv"))->video.colour.isHdr());

        OpenOptions options;
        options.toneMapHdr = true;
        const ReadResult mapped = readWhole(file("hdr.mkv"), options);
        ASSERT_EQ(mapped.frames.size(), 1U);
        EXPECT_EQ(mapped.info.video.colour.transfer, 1);
        EXPECT_EQ(mapped.info.video.colour.primaries, 1);
        const cv::Vec3d seen = middleColour(mapped.frames[0].rgb);
        EXPECT_GT(seen[1], 0.2);
        EXPECT_LT(seen[1], 1.01);
        EXPECT_NEAR(seen[0], seen[1], 0.01);
        EXPECT_NEAR(seen[2], seen[1], 0.01);
    }
}

}  // namespace reelbrush::media::test
