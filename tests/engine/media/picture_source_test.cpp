#include "tests/engine/media/source_test_kit.h"

#include <fmt/format.h>

#include <cmath>
#include <opencv2/core.hpp>

namespace reelbrush::media::test {

namespace {

std::string bigEndian16(int value) {
    return {static_cast<char>(value >> 8), static_cast<char>(value & 255)};
}

}  // namespace

class PictureSourceTest : public SourceTest {
  protected:
    /// 64 x 48 pixels of 16-bit RGB: red grows along x, green along y, blue is 4660 (0x1234).
    void makeGradient() const {
        std::string raw;
        for (int y = 0; y < 48; ++y)
            for (int x = 0; x < 64; ++x) raw += bigEndian16(x * 1000) + bigEndian16(y * 1300) + bigEndian16(0x1234);
        writeFile("gradient.rgb", raw);
    }
    void expectGradient(const cv::Mat& rgb, double tolerance) const {
        ASSERT_EQ(rgb.size(), cv::Size(64, 48));
        for (int y = 0; y < 48; ++y) {
            for (int x = 0; x < 64; ++x) {
                const cv::Vec3f& seen = rgb.at<cv::Vec3f>(y, x);
                ASSERT_NEAR(seen[0], x * 1000 / 65535.0, tolerance) << x << "," << y;
                ASSERT_NEAR(seen[1], y * 1300 / 65535.0, tolerance) << x << "," << y;
                ASSERT_NEAR(seen[2], 0x1234 / 65535.0, tolerance) << x << "," << y;
            }
        }
    }
    static constexpr const char* kGradient = "-f rawvideo -pix_fmt rgb48be -s 64x48 -i gradient.rgb -frames:v 1";
};

TEST_F(PictureSourceTest, ReadsPicturesOfEveryKind) {
    SKIP_WITHOUT_FFMPEG();
    makeGradient();
    const struct {
        const char* name;
        const char* options;
        int bits;
        double tolerance;
    } kinds[] = {{"deep.png", "-pix_fmt rgb48be", 16, 1e-6},
                 {"deep.tiff", "-pix_fmt rgb48le", 16, 1e-6},
                 {"plain.png", "-pix_fmt rgb24", 8, 0.008},
                 {"plain.bmp", "-pix_fmt bgr24", 8, 0.008},
                 {"plain.tif", "-pix_fmt rgb24", 8, 0.008},
                 {"lossless.webp", "-c:v libwebp -lossless 1 -pix_fmt bgra", 8, 0.008},
                 {"plain.jpg", "-q:v 1 -pix_fmt yuvj444p", 8, 0.02},
                 {"plain.ppm", "-pix_fmt rgb24", 8, 0.008}};
    for (const auto& kind : kinds) {
        SCOPED_TRACE(kind.name);
        ffmpeg(fmt::format("{} {} {}", kGradient, kind.options, kind.name));
        const ReadResult picture = readWhole(file(kind.name));
        ASSERT_EQ(picture.frames.size(), 1U);
        EXPECT_TRUE(picture.info.isPicture);
        EXPECT_FALSE(picture.info.isSequence);
        EXPECT_EQ(picture.info.video.frameCount, 1);
        EXPECT_EQ(picture.info.video.bitsPerComponent, kind.bits);
        EXPECT_EQ(picture.frames[0].time, Rational(0));
        EXPECT_FALSE(picture.frames[0].duration.isKnown());
        expectGradient(picture.frames[0].rgb, kind.tolerance);
    }
}

TEST_F(PictureSourceTest, LinearExrArrivesAsSrgb) {
    SKIP_WITHOUT_FFMPEG();
    // Grey values as float planes; 0.18 is the photographer's grey, 2.0 a highlight, -0.01 what filters leave behind.
    const float values[] = {0.0F, 0.001F, 0.18F, 0.5F, 1.0F, 2.0F, -0.01F, 0.25F};
    std::string raw;
    for (int plane = 0; plane < 3; ++plane) raw.append(reinterpret_cast<const char*>(values), sizeof values);
    writeFile("grey.rgb", raw);
    for (const char* format : {"half", "float"}) {
        SCOPED_TRACE(format);
        ffmpeg(fmt::format("-f rawvideo -pix_fmt gbrpf32le -s 8x1 -i grey.rgb -frames:v 1 -c:v exr -format {} grey.exr",
                           format));
        const ReadResult picture = readWhole(file("grey.exr"));
        ASSERT_EQ(picture.frames.size(), 1U);
        EXPECT_TRUE(picture.info.isPicture);
        EXPECT_EQ(picture.info.video.colour.transfer, 13);
        for (int x = 0; x < 8; ++x) {
            const double light = std::abs(values[x]);
            const double coded = light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
            EXPECT_NEAR(picture.frames[0].rgb.at<cv::Vec3f>(0, x)[1], std::copysign(coded, values[x]), 5e-4) << x;
        }
    }
}

TEST_F(PictureSourceTest, DeliversAlpha) {
    SKIP_WITHOUT_FFMPEG();
    std::string raw;
    for (int i = 0; i < 32 * 32; ++i) raw += {'\x80', '\x40', '\x20', static_cast<char>(i % 32 * 8)};
    writeFile("alpha.rgba", raw);
    const struct {
        const char* name;
        const char* options;
        double tolerance;
    } kinds[] = {{"alpha.png", "-pix_fmt rgba", 1e-6},
                 {"deep.png", "-pix_fmt rgba64be", 1e-4},
                 {"alpha.webp", "-c:v libwebp -lossless 1 -pix_fmt bgra", 1e-6},
                 {"alpha.tiff", "-pix_fmt rgba", 1e-6},
                 {"alpha.mov", "-c:v prores_ks -pix_fmt yuva444p10le", 0.01},
                 {"alpha.webm", "-c:v libvpx-vp9 -pix_fmt yuva420p -crf 4 -b:v 0 -auto-alt-ref 0", 0.06},
                 {"alpha.mkv", "-c:v ffv1 -pix_fmt yuva420p", 0.005}};
    for (const auto& kind : kinds) {
        SCOPED_TRACE(kind.name);
        ffmpeg(
            fmt::format("-f rawvideo -pix_fmt rgba -s 32x32 -i alpha.rgba -frames:v 1 {} {}", kind.options, kind.name));
        const ReadResult picture = readWhole(file(kind.name));
        ASSERT_EQ(picture.frames.size(), 1U);
        EXPECT_TRUE(picture.info.video.hasAlpha);
        ASSERT_EQ(picture.frames[0].alpha.size(), cv::Size(32, 32));
        for (int x = 4; x < 28; ++x)
            EXPECT_NEAR(picture.frames[0].alpha.at<float>(16, x), x * 8 / 255.0, kind.tolerance) << x;
        EXPECT_NEAR(picture.frames[0].rgb.at<cv::Vec3f>(16, 16)[0], 0.502, 0.03);
    }
}

TEST_F(PictureSourceTest, ReadsGreyPaletteAndBitMaps) {
    SKIP_WITHOUT_FFMPEG();
    const struct {
        const char* format;
        cv::Vec3d colour;  // of 0xF08020 in that format
        bool alpha;
    } kinds[] = {{"gray", {0.581, 0.581, 0.581}, false},
                 {"gray16be", {0.581, 0.581, 0.581}, false},
                 {"ya8", {0.581, 0.581, 0.581}, true},
                 {"rgb24", {240 / 255.0, 128 / 255.0, 32 / 255.0}, false}};
    for (const auto& kind : kinds) {
        SCOPED_TRACE(kind.format);
        ffmpeg(fmt::format("-f lavfi -i color=0xF08020:s=8x8:d=0.04,format=rgb24 -frames:v 1 -pix_fmt {} flat.png",
                           kind.format));
        const ReadResult flat = readWhole(file("flat.png"));
        ASSERT_EQ(flat.frames.size(), 1U);
        for (int channel = 0; channel < 3; ++channel)
            EXPECT_NEAR(middleColour(flat.frames[0].rgb)[channel], kind.colour[channel], 0.02);
        EXPECT_EQ(flat.info.video.hasAlpha, kind.alpha);
    }
    ffmpeg(
        "-f lavfi -i color=0xF08020:s=8x8:d=0.04,format=rgb24 -frames:v 1 -vf "
        "\"split[a][b];[a]palettegen[p];[b][p]paletteuse\" palette.png");
    const ReadResult palette = readWhole(file("palette.png"));
    EXPECT_EQ(palette.info.video.pixelFormat, "pal8");
    EXPECT_FALSE(palette.info.video.hasAlpha);
    EXPECT_EQ(palette.frames.at(0).rgb.at<cv::Vec3f>(3, 3), cv::Vec3f(240 / 255.0F, 128 / 255.0F, 32 / 255.0F));
    ffmpeg("-f lavfi -i color=white:s=8x8:d=0.04,drawbox=0:0:4:8:black:fill -frames:v 1 -pix_fmt monow bits.tiff");
    const ReadResult bits = readWhole(file("bits.tiff"));
    EXPECT_EQ(bits.frames.at(0).rgb.at<cv::Vec3f>(3, 1), cv::Vec3f(0, 0, 0));
    EXPECT_EQ(bits.frames.at(0).rgb.at<cv::Vec3f>(3, 6), cv::Vec3f(1, 1, 1));
}

TEST_F(PictureSourceTest, RefusesDamagedPictures) {
    SKIP_WITHOUT_FFMPEG();
    for (const char* name : {"cut.png", "cut.jpg", "cut.webp", "cut.exr", "cut.bmp", "cut.tiff"}) {
        SCOPED_TRACE(name);
        ffmpeg(fmt::format("-f lavfi -i testsrc2=s=320x240 -frames:v 1 {}", name));
        truncateFile(name, 0.6);
        const ReadResult cut = readAll(file(name));
        EXPECT_TRUE(cut.frames.empty());
        EXPECT_EQ(cut.error.code, StatusCode::BadInput) << cut.error.message;
        EXPECT_NE(cut.error.message.find(name), std::string::npos);
    }
}

}  // namespace reelbrush::media::test
