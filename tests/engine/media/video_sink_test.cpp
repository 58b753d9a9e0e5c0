#include "tests/engine/media/sink_test_kit.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace reelbrush::media {

namespace {

using ::testing::HasSubstr;

struct Format {
    const char* name;
    const char* codec;
    const char* written;  ///< as ffprobe calls it
    const char* pixelFormat;
};
std::ostream& operator<<(std::ostream& out, const Format& format) {
    return out << format.name << " " << format.codec;
}

/// Names for the list of tests, of a file name and a codec.
template <typename Case>
std::string nameOf(const ::testing::TestParamInfo<Case>& info) {
    std::string name = std::string(info.param.name) + "_" + info.param.codec;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
    return name;
}

class VideoFormat : public ::testing::TestWithParam<Format> {};

/// Every container with every usual codec: as many frames as went in, at their times, of the size that went in.
TEST_P(VideoFormat, KeepsFramesTimesAndSize) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    const auto file = folder / GetParam().name;
    EncodeOptions options;
    options.codec = GetParam().codec;
    options.threads = 2;
    const ClipInfo clip = clipOf(96, 64);
    writeClip(file, clip, 12, {}, options);

    const auto probed = probe(file);
    const auto video = videoStreamOf(probed);
    EXPECT_EQ(video["codec_name"], GetParam().written);
    EXPECT_EQ(video["pix_fmt"], GetParam().pixelFormat);
    EXPECT_EQ(video["width"], 96);
    EXPECT_EQ(video["height"], 64);
    EXPECT_EQ(video["nb_read_frames"], "12");
    EXPECT_NEAR(std::stod(probed["format"]["duration"].get<std::string>()), 12.0 / 25, 0.0011);
    const auto frames = shownFrames(file);
    ASSERT_EQ(frames.size(), 12U);
    for (std::size_t i = 0; i < frames.size(); ++i) {
        EXPECT_EQ(frames[i].time, Rational(static_cast<std::int64_t>(i), 25)) << "frame " << i << " of " << file;
    }
    EXPECT_EQ(folder.contents().size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(
    All, VideoFormat,
    ::testing::Values(Format{"a.mp4", "", "h264", "yuv420p"}, Format{"a.mov", "", "h264", "yuv420p"},
                      Format{"a.mkv", "", "h264", "yuv420p"}, Format{"a.webm", "", "vp9", "yuv420p"},
                      Format{"a.avi", "", "h264", "yuv420p"}, Format{"a.MP4", "h265", "hevc", "yuv420p"},
                      Format{"a.mkv", "hevc", "hevc", "yuv420p"}, Format{"a.mp4", "av1", "av1", "yuv420p"},
                      Format{"a.mov", "prores", "prores", "yuv422p10le"}, Format{"a.mkv", "ffv1", "ffv1", "yuv444p"},
                      Format{"a.avi", "mpeg4", "mpeg4", "yuv420p"}, Format{"a.mov", "mjpeg", "mjpeg", "yuvj420p"},
                      Format{"a.mov", "qtrle", "qtrle", "rgb24"}, Format{"a.gif", "", "gif", "bgra"}),
    nameOf<Format>);

class OddSize : public ::testing::TestWithParam<Format> {};

/// Decoders give exactly the odd size, whatever the codec's chroma.
TEST_P(OddSize, ComesBackExactly) {
    SKIP_WITHOUT_FFMPEG();
    for (const auto& [width, height] : {std::pair{97, 65}, std::pair{97, 64}, std::pair{96, 65}}) {
        const ScratchFolder folder;
        const auto file = folder / GetParam().name;
        EncodeOptions options;
        options.codec = GetParam().codec;
        writeClip(file, clipOf(width, height), 3, {}, options);
        const auto video = videoStreamOf(probe(file));
        EXPECT_EQ(video["codec_name"], GetParam().written);
        const std::size_t bytes = static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3 * 3;
        EXPECT_EQ(decoded(file, "rgb24").size(), bytes) << width << "x" << height;
    }
}

INSTANTIATE_TEST_SUITE_P(All, OddSize,
                         ::testing::Values(Format{"a.mp4", "h264", "h264", ""}, Format{"a.mp4", "h265", "hevc", ""},
                                           Format{"a.mp4", "av1", "av1", ""}, Format{"a.webm", "vp9", "vp9", ""},
                                           Format{"a.mov", "prores", "prores", ""}, Format{"a.mkv", "ffv1", "ffv1", ""},
                                           Format{"a.avi", "mpeg4", "mpeg4", ""}, Format{"a.gif", "gif", "gif", ""}),
                         nameOf<Format>);

TEST(VideoSink, TinySizesWork) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    EncodeOptions lossless;
    lossless.codec = "ffv1";
    writeClip(folder / "one.mkv", clipOf(1, 1), 2, {}, lossless);
    EXPECT_EQ(decoded(folder / "one.mkv", "rgb24").size(), 6U);
    writeClip(folder / "two.mp4", clipOf(16, 2), 2);
    EXPECT_EQ(decoded(folder / "two.mp4", "rgb24").size(), 16U * 2 * 3 * 2);
}

struct Depth {
    const char* name;
    const char* codec;
    const char* pixelFormat;
};
std::ostream& operator<<(std::ostream& out, const Depth& depth) {
    return out << depth.name << " " << depth.codec;
}

class TenBits : public ::testing::TestWithParam<Depth> {};

TEST_P(TenBits, AreKeptWhereTheCodecAllows) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    ClipInfo clip = clipOf(64, 48);
    clip.video.bitsPerComponent = 10;
    EncodeOptions options;
    options.codec = GetParam().codec;
    const auto notes = writeClip(folder / GetParam().name, clip, 2, {}, options);
    EXPECT_EQ(videoStreamOf(probe(folder / GetParam().name))["pix_fmt"], GetParam().pixelFormat);
    EXPECT_EQ(notes.empty(), std::string(GetParam().codec) != "mpeg4");
}

INSTANTIATE_TEST_SUITE_P(All, TenBits,
                         ::testing::Values(Depth{"a.mp4", "h264", "yuv420p10le"}, Depth{"a.mp4", "h265", "yuv420p10le"},
                                           Depth{"a.mp4", "av1", "yuv420p10le"}, Depth{"a.webm", "vp9", "yuv420p10le"},
                                           Depth{"a.mkv", "ffv1", "yuv444p10le"}, Depth{"a.avi", "mpeg4", "yuv420p"}),
                         nameOf<Depth>);

/// Uneven times, odd ticks and a late start come back to the tick, the last frame's length included.
TEST(VideoSink, VariableRateIsExact) {
    SKIP_WITHOUT_FFMPEG();
    const std::vector<std::int64_t> ticks{9000,  9001,  12003, 15000, 30000, 30100,
                                          45000, 45003, 60000, 91000, 95000, 99999};
    for (const char* codec : {"h264", "h265", "ffv1"}) {
        const ScratchFolder folder;
        const bool matroska = std::string(codec) == "ffv1";
        const auto file = folder / (matroska ? "vfr.mkv" : "vfr.mp4");
        ClipInfo clip = clipOf(64, 48, Rational(30000, 1001));
        clip.video.variableRate = true;
        clip.video.timeBase = matroska ? Rational(1, 1000) : Rational(1, 90000);
        clip.video.startTime = Rational(ticks[0]) * clip.video.timeBase;
        EncodeOptions options;
        options.codec = codec;
        auto sink = openFrameSink(file, 64, 48, clip, {}, options);
        ASSERT_TRUE(sink) << sink.error().message;
        for (std::size_t i = 0; i < ticks.size(); ++i) {
            VideoFrame frame = movingFrame(64, 48, static_cast<std::int64_t>(i));
            frame.time = Rational(ticks[i]) * clip.video.timeBase;
            const std::int64_t next = i + 1 < ticks.size() ? ticks[i + 1] : ticks[i] + 7777;
            frame.duration = Rational(next - ticks[i]) * clip.video.timeBase;
            ASSERT_TRUE((*sink)->write(frame));
        }
        ASSERT_TRUE((*sink)->finish());
        EXPECT_THAT((*sink)->notes(), ::testing::IsEmpty());
        const auto frames = shownFrames(file);
        ASSERT_EQ(frames.size(), ticks.size()) << codec;
        for (std::size_t i = 0; i < ticks.size(); ++i) {
            EXPECT_EQ(frames[i].time, Rational(ticks[i]) * clip.video.timeBase) << codec << " frame " << i;
        }
        const auto probed = probe(file);
        const double end = (Rational(ticks.back() + 7777) * clip.video.timeBase).toDouble();
        // Counted from zero in both containers.
        EXPECT_NEAR(std::stod(probed["format"]["duration"].get<std::string>()), end, 2e-5) << codec;
        if (matroska) continue;
        const double length = std::stod(videoStreamOf(probed)["duration"].get<std::string>());
        EXPECT_NEAR(length, end - clip.video.startTime.toDouble(), 2e-5) << codec;
    }
}

TEST(VideoSink, NtscRateIsExact) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    ClipInfo clip = clipOf(64, 48, Rational(30000, 1001));
    clip.video.timeBase = Rational(1, 30000);
    writeClip(folder / "ntsc.mp4", clip, 31);
    const auto video = videoStreamOf(probe(folder / "ntsc.mp4"));
    EXPECT_EQ(video["avg_frame_rate"], "30000/1001");
    EXPECT_EQ(shownFrames(folder / "ntsc.mp4").back().time, Rational(30 * 1001, 30000));
    writeClip(folder / "ntsc.mkv", clip, 31);
    EXPECT_EQ(videoStreamOf(probe(folder / "ntsc.mkv"))["r_frame_rate"], "30000/1001");
}

TEST(VideoSink, UnevenTimesInAviAreToldAndKeepTheCount) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    auto sink = openFrameSink(folder / "a.avi", 64, 48, clipOf(64, 48), {}, {});
    ASSERT_TRUE(sink);
    for (std::int64_t i = 0; i < 5; ++i) {
        VideoFrame frame = movingFrame(64, 48, i);
        frame.time = frame.time + Rational(i % 2, 100);
        ASSERT_TRUE((*sink)->write(frame));
    }
    ASSERT_TRUE((*sink)->finish());
    EXPECT_EQ((*sink)->notes().size(), 1U);
    EXPECT_EQ(videoStreamOf(probe(folder / "a.avi"))["nb_read_frames"], "5");
}

TEST(VideoSink, PixelAspectIsKeptAndNoRotationWritten) {
    SKIP_WITHOUT_FFMPEG();
    for (const char* name : {"a.mp4", "a.mkv"}) {
        const ScratchFolder folder;
        ClipInfo clip = clipOf(720, 576);
        clip.video.pixelAspect = Rational(16, 15);
        clip.video.rotationDegrees = 90;
        writeClip(folder / name, clip, 2);
        const auto video = videoStreamOf(probe(folder / name));
        EXPECT_EQ(video["sample_aspect_ratio"], "16:15");
        EXPECT_FALSE(video.contains("side_data_list")) << video.dump();
    }
}

TEST(VideoSink, SameFramesGiveSameBytes) {
    SKIP_WITHOUT_FFMPEG();
    for (const char* name : {"a.mp4", "a.mkv", "a.webm"}) {
        const ScratchFolder folder;
        const auto first = folder / (std::string("1") + name), second = folder / (std::string("2") + name);
        writeClip(first, clipOf(96, 64), 8);
        // What lies in freed memory must not matter.
        const std::vector<std::vector<char>> noise(64, std::vector<char>(100000, 'x'));
        writeClip(second, clipOf(96, 64), 8);
        shell(fmt::format("cmp {} {}", inQuotes(first), inQuotes(second)));
    }
}

TEST(VideoSink, QualityChangesTheSize) {
    const ScratchFolder folder;
    std::uintmax_t last = 0;
    for (const int quality : {0, 50, 80, 100}) {
        EncodeOptions options;
        options.quality = quality;
        const auto file = folder / fmt::format("{}.mp4", quality);
        writeClip(file, clipOf(96, 64), 8, {}, options);
        EXPECT_GT(std::filesystem::file_size(file), last) << quality;
        last = std::filesystem::file_size(file);
    }
}

std::string refusal(const std::filesystem::path& target, const std::string& codec, StatusCode code) {
    EncodeOptions options;
    options.codec = codec;
    auto sink = openFrameSink(target, 64, 48, clipOf(64, 48), {}, options);
    if (sink) {
        ADD_FAILURE() << "was accepted";
        return {};
    }
    EXPECT_EQ(sink.error().code, code);
    return sink.error().message;
}

TEST(VideoSink, UnknownCodecListsWhatThereIs) {
    const ScratchFolder folder;
    const std::string message = refusal(folder / "a.mp4", "h266", StatusCode::BadInput);
    EXPECT_THAT(message, HasSubstr("'h266'"));
    EXPECT_THAT(message, HasSubstr("h264, h265, av1"));
    EXPECT_THAT(refusal(folder / "a.mp4", "aac", StatusCode::BadInput), HasSubstr("no video encoder 'aac'"));
    EXPECT_TRUE(folder.contents().empty());
}

TEST(VideoSink, CodecThatDoesNotFitSaysWhichContainerWould) {
    const ScratchFolder folder;
    EXPECT_THAT(refusal(folder / "a.mp4", "prores", StatusCode::Unsupported), HasSubstr("or write a .mov file"));
    EXPECT_THAT(refusal(folder / "a.webm", "h264", StatusCode::Unsupported), HasSubstr("choose one of av1, vp9"));
    EXPECT_THAT(refusal(folder / "a.png", "h264", StatusCode::Unsupported), HasSubstr("leave the codec out"));
    EXPECT_THAT(refusal(folder / "a.xyz", "", StatusCode::Unsupported), HasSubstr("use .mp4"));
    EXPECT_TRUE(folder.contents().empty());
}

TEST(VideoSink, AbsurdSizeIsRefused) {
    const ScratchFolder folder;
    for (const auto& [width, height] : {std::pair{0, 10}, std::pair{10, -1}, std::pair{1 << 20, 1 << 20}}) {
        auto sink = openFrameSink(folder / "a.mp4", width, height, clipOf(64, 48), {}, {});
        ASSERT_FALSE(sink);
        EXPECT_EQ(sink.error().code, StatusCode::BadInput);
    }
}

TEST(VideoSink, FrameOfAnotherSizeOrOutOfOrderIsRefused) {
    const ScratchFolder folder;
    auto sink = openFrameSink(folder / "a.mp4", 64, 48, clipOf(64, 48), {}, {});
    ASSERT_TRUE(sink);
    ASSERT_TRUE((*sink)->write(movingFrame(64, 48, 1)));
    EXPECT_FALSE((*sink)->write(movingFrame(64, 50, 2)));
    EXPECT_FALSE((*sink)->write(movingFrame(64, 48, 1)));
}

}  // namespace

}  // namespace reelbrush::media
