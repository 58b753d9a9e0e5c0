#include "tests/engine/media/sink_test_kit.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <cstring>
#include <fstream>

namespace reelbrush::media {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kWidth = 13, kHeight = 7;

double toLinear(double value) {
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}
double toSrgb(double value) {
    return value <= 0.0031308 ? value * 12.92 : 1.055 * std::pow(value, 1 / 2.4) - 0.055;
}

std::vector<std::string> writePicture(const std::filesystem::path& file, const ClipInfo& clip, const VideoFrame& frame,
                                      const EncodeOptions& options = {}) {
    auto sink = openFrameSink(file, frame.rgb.cols, frame.rgb.rows, clip, {}, options);
    if (!sink) {
        ADD_FAILURE() << sink.error().message;
        return {};
    }
    const Status written = (*sink)->write(frame);
    EXPECT_TRUE(written) << written.error().message;
    const Status finished = (*sink)->finish();
    EXPECT_TRUE(finished) << finished.error().message;
    EXPECT_GT((*sink)->bytesWritten(), 0);
    return (*sink)->notes();
}

ClipInfo pictureClip() {
    ClipInfo clip = clipOf(kWidth, kHeight);
    clip.isPicture = true;
    clip.video.colour = {1, 13, 0, true, true, 0};
    return clip;
}

VideoFrame ramp() {
    VideoFrame frame = movingFrame(kWidth, kHeight, 0);
    for (int y = 0; y < kHeight; ++y) {
        for (int x = 0; x < kWidth; ++x) {
            frame.rgb.at<cv::Vec3f>(y, x) = {static_cast<float>(y * kWidth + x) / (kWidth * kHeight - 1),
                                             static_cast<float>(x) / (kWidth - 1),
                                             static_cast<float>(y) / (kHeight - 1)};
        }
    }
    return frame;
}

std::vector<float> floatsOf(const std::vector<std::uint8_t>& raw) {
    std::vector<float> values(raw.size() / sizeof(float));
    std::memcpy(values.data(), raw.data(), values.size() * sizeof(float));
    return values;
}

TEST(PictureSink, EightBitFormatsAreExactWhereLossless) {
    SKIP_WITHOUT_FFMPEG();
    const VideoFrame frame = ramp();
    EncodeOptions best;
    best.quality = 100;
    for (const char* name : {"a.png", "a.tiff", "a.tif", "a.PNG", "a.webp"}) {
        const ScratchFolder folder;
        EXPECT_THAT(writePicture(folder / name, pictureClip(), frame, best), ElementsAre());
        EXPECT_THAT(folder.contents(), ElementsAre(name));
        const auto raw = decoded(folder / name, "rgb24");
        ASSERT_EQ(raw.size(), static_cast<std::size_t>(kWidth * kHeight * 3)) << name;
        for (std::size_t i = 0; i < raw.size(); ++i) {
            const auto pixel = static_cast<int>(i / 3);
            const float value = frame.rgb.at<cv::Vec3f>(pixel / kWidth, pixel % kWidth)[static_cast<int>(i % 3)];
            // The product may lie on the border of two numbers.
            ASSERT_NEAR(raw[i], value * 255.0, 0.51) << name << " sample " << i;
        }
    }
}

TEST(PictureSink, SixteenBitFormatsAreExact) {
    SKIP_WITHOUT_FFMPEG();
    const VideoFrame frame = ramp();
    for (const char* name : {"a.png", "a.tiff"}) {
        const ScratchFolder folder;
        EncodeOptions options;
        options.bitsPerComponent = 16;
        writePicture(folder / name, pictureClip(), frame, options);
        EXPECT_THAT(std::string(videoStreamOf(probe(folder / name))["pix_fmt"]), HasSubstr("rgb48"));
        const auto raw = decoded(folder / name, "rgb48le");
        ASSERT_EQ(raw.size(), static_cast<std::size_t>(kWidth * kHeight * 6));
        for (std::size_t i = 0; i < raw.size() / 2; ++i) {
            const auto pixel = static_cast<int>(i / 3);
            const float value = frame.rgb.at<cv::Vec3f>(pixel / kWidth, pixel % kWidth)[static_cast<int>(i % 3)];
            ASSERT_NEAR(raw[2 * i] + 256 * raw[2 * i + 1], value * 65535.0, 0.51) << name << " sample " << i;
        }
    }
}

TEST(PictureSink, LossyFormatsAreClose) {
    SKIP_WITHOUT_FFMPEG();
    const cv::Vec3f colour{0.8F, 0.3F, 0.1F};
    for (const int quality : {80, 95}) {
        for (const char* name : {"a.jpg", "a.JPEG", "a.webp"}) {
            const ScratchFolder folder;
            EncodeOptions options;
            options.quality = quality;
            writePicture(folder / name, pictureClip(), flatFrame(33, 17, colour), options);
            const auto raw = decoded(folder / name, "rgb24");
            ASSERT_EQ(raw.size(), 33U * 17 * 3) << name;
            for (std::size_t i = 0; i < 3; ++i) {
                EXPECT_NEAR(raw[i + 3 * (33 * 8 + 16)], colour[static_cast<int>(i)] * 255, 5) << name << " " << quality;
            }
        }
    }
}

/// OpenEXR is linear light in half floats: the sRGB curve is undone.
TEST(PictureSink, OpenExrIsLinearHalfFloat) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    const VideoFrame frame = ramp();
    writePicture(folder / "a.exr", pictureClip(), frame);
    EXPECT_LT(std::filesystem::file_size(folder / "a.exr"), 2000U);
    const auto planes = floatsOf(decoded(folder / "a.exr", "gbrpf32le"));
    const std::size_t pixels = static_cast<std::size_t>(kWidth * kHeight);
    ASSERT_EQ(planes.size(), 3 * pixels);
    for (std::size_t i = 0; i < pixels; ++i) {
        const cv::Vec3f value = frame.rgb.at<cv::Vec3f>(static_cast<int>(i) / kWidth, static_cast<int>(i) % kWidth);
        const std::array<int, 3> channelOfPlane{1, 2, 0};
        for (std::size_t plane = 0; plane < 3; ++plane) {
            const double wanted = toLinear(value[channelOfPlane[plane]]);
            // A half float has eleven bits, the last of which FFmpeg's encoder cuts.
            ASSERT_NEAR(planes[plane * pixels + i], wanted, wanted / 1000 + 1e-5)
                << "pixel " << i << " plane " << plane;
        }
    }
}

/// Values beyond one are light, too: they stay in floats.
TEST(PictureSink, OpenExrKeepsBrightValues) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    writePicture(folder / "a.exr", pictureClip(), flatFrame(16, 16, {1.2F, 1.2F, 1.2F}));
    EXPECT_NEAR(floatsOf(decoded(folder / "a.exr", "gbrpf32le")).at(0), toLinear(1.2), 2e-3);
}

/// A picture viewer knows nothing of BT.2020: the colours are brought to sRGB's primaries.
TEST(PictureSink, WideGamutVideoIsConverted) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    ClipInfo clip = clipOf(16, 16);
    clip.video.colour = {9, 14, 9, false, true, 1};
    const cv::Vec3f colour{0.5F, 0.6F, 0.4F};
    EncodeOptions options;
    options.bitsPerComponent = 16;
    writePicture(folder / "a.png", clip, flatFrame(16, 16, colour), options);
    // BT.2087, table 2: linear BT.2020 to BT.709.
    const double matrix[3][3] = {{1.6605, -0.5876, -0.0728}, {-0.1246, 1.1329, -0.0083}, {-0.0182, -0.1006, 1.1187}};
    const auto raw = decoded(folder / "a.png", "rgb48le");
    ASSERT_GE(raw.size(), 6U);
    for (std::size_t row = 0; row < 3; ++row) {
        double light = 0;
        for (int i = 0; i < 3; ++i) light += matrix[row][i] * toLinear(colour[i]);
        EXPECT_NEAR((raw[2 * row] + 256 * raw[2 * row + 1]) / 65535.0, toSrgb(light), 1e-3) << row;
    }
}

TEST(PictureSink, Bt709VideoKeepsItsNumbers) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    writePicture(folder / "a.png", clipOf(16, 16), flatFrame(16, 16, {0.25F, 0.5F, 0.75F}));
    const auto raw = decoded(folder / "a.png", "rgb24");
    EXPECT_THAT(std::vector<int>(raw.begin(), raw.begin() + 3), ElementsAre(64, 128, 191));
}

TEST(PictureSink, TransparencyIsKeptWhereItCanBe) {
    SKIP_WITHOUT_FFMPEG();
    ClipInfo clip = pictureClip();
    clip.video.hasAlpha = true;
    VideoFrame frame = flatFrame(20, 10, {0.9F, 0.5F, 0.1F});
    frame.alpha = cv::Mat(10, 20, CV_32FC1, cv::Scalar(0.4));
    for (const char* name : {"a.png", "a.tiff", "a.webp"}) {
        const ScratchFolder folder;
        EXPECT_THAT(writePicture(folder / name, clip, frame), ElementsAre());
        const auto raw = decoded(folder / name, "rgba");
        ASSERT_EQ(raw.size(), 20U * 10 * 4) << name;
        EXPECT_NEAR(raw[3], 102, 1) << name;
        EXPECT_NEAR(raw[0], 230, 4) << name;
    }
    const ScratchFolder folder;
    writePicture(folder / "a.exr", clip, frame);
    EXPECT_NEAR(floatsOf(decoded(folder / "a.exr", "gbrapf32le")).at(3 * 20 * 10), 0.4, 1e-3);
    EXPECT_THAT(writePicture(folder / "a.jpg", clip, frame), ElementsAre(HasSubstr("transparency left out")));

    clip.isPicture = false;
    EncodeOptions options;
    for (const auto& [name, codec, format] :
         {std::tuple{"a.mov", "prores", "yuva444p12le"}, std::tuple{"a.mkv", "ffv1", "yuva444p"}}) {
        options.codec = codec;
        EXPECT_THAT(writePicture(folder / name, clip, frame, options), ElementsAre());
        EXPECT_EQ(videoStreamOf(probe(folder / name))["pix_fmt"], format);
        EXPECT_NEAR(decoded(folder / name, "rgba").at(3), 102, 1) << name;
    }
    options.codec = "h264";
    EXPECT_THAT(writePicture(folder / "a.mp4", clip, frame, options), ElementsAre(HasSubstr("transparency left out")));
}

TEST(PictureSink, MoreThanOneFrameIsRefused) {
    const ScratchFolder folder;
    {
        auto sink = openFrameSink(folder / "a.png", 16, 16, clipOf(16, 16), {}, {});
        ASSERT_TRUE(sink);
        ASSERT_TRUE((*sink)->write(flatFrame(16, 16, {0, 0, 0}, 0)));
        const Status second = (*sink)->write(flatFrame(16, 16, {0, 0, 0}, 1));
        ASSERT_FALSE(second);
        EXPECT_EQ(second.error().code, StatusCode::BadInput);
        EXPECT_THAT(second.error().message, HasSubstr("%04d"));
    }
    EXPECT_THAT(folder.contents(), ElementsAre());
}

TEST(SequenceSink, PatternsAreCountedFromOne) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    writeClip(folder / "shot 100%%.%04d.png", clipOf(16, 16), 3);
    EXPECT_THAT(folder.contents(), ElementsAre("shot 100%.0001.png", "shot 100%.0002.png", "shot 100%.0003.png"));
    EXPECT_NE(decoded(folder / "shot 100%.0001.png", "rgb24"), decoded(folder / "shot 100%.0002.png", "rgb24"));
    for (const char* extension : {"exr", "jpg", "tiff", "webp"}) {
        const ScratchFolder other;
        writeClip(other / fmt::format("%d.{}", extension), clipOf(16, 16), 2);
        EXPECT_THAT(other.contents(), ElementsAre(fmt::format("1.{}", extension), fmt::format("2.{}", extension)));
        EXPECT_EQ(decoded(other / fmt::format("2.{}", extension), "rgb24").size(), 16U * 16 * 3);
    }
}

TEST(SequenceSink, FoldersGetNumberedPictures) {
    const ScratchFolder folder;
    writeClip((folder / "new").string() + "/", clipOf(16, 16), 2);
    EXPECT_TRUE(std::filesystem::exists(folder / "new" / std::filesystem::path("000001.png")));
    EXPECT_TRUE(std::filesystem::exists(folder / "new" / std::filesystem::path("000002.png")));
    EXPECT_THAT(folder.contents(), ElementsAre("new"));
    EncodeOptions options;
    options.codec = "exr";
    writeClip(folder / "new", clipOf(16, 16), 1, {}, options);
    EXPECT_TRUE(std::filesystem::exists(folder / "new" / std::filesystem::path("000001.exr")));
}

TEST(SequenceSink, AbandonedOneLeavesTheUsersFilesAlone) {
    const ScratchFolder folder;
    std::ofstream(folder / "f.0001.png") << "mine";
    {
        auto sink = openFrameSink(folder / "f.%04d.png", 16, 16, clipOf(16, 16), {}, {});
        ASSERT_TRUE(sink);
        for (int i = 0; i < 3; ++i) ASSERT_TRUE((*sink)->write(flatFrame(16, 16, {0, 0, 0}, i)));
    }
    EXPECT_THAT(folder.contents(), ElementsAre("f.0001.png"));
    std::string text;
    std::ifstream(folder / "f.0001.png") >> text;
    EXPECT_EQ(text, "mine");
    // Finished, it takes the names that it was given.
    writeClip(folder / "f.%04d.png", clipOf(16, 16), 2);
    EXPECT_THAT(folder.contents(), ElementsAre("f.0001.png", "f.0002.png"));
    EXPECT_GT(std::filesystem::file_size(folder / "f.0001.png"), 40U);
}

TEST(SequenceSink, SoundIsToldToBeLeftOut) {
    const ScratchFolder folder;
    ClipInfo clip = clipOf(16, 16);
    clip.others.push_back({1, "audio", "aac", "eng", 48000, 2, Rational(0), Rational(1)});
    EXPECT_THAT(writeClip(folder / "%d.png", clip, 1), ElementsAre(HasSubstr("sound left out")));
}

}  // namespace

}  // namespace reelbrush::media
