#include "tests/engine/media/sink_test_kit.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>

namespace reelbrush::media {

namespace {

constexpr int kSide = 32;

const std::array<cv::Vec3f, 8> kPatches{cv::Vec3f{0.F, 0.F, 0.F}, {1.F, 1.F, 1.F},    {1.F, 0.F, 0.F},
                                        {0.F, 1.F, 0.F},          {0.F, 0.F, 1.F},    {0.45F, 0.45F, 0.45F},
                                        {0.8F, 0.31F, 0.12F},     {0.1F, 0.62F, 0.9F}};

struct Coding {
    const char* name;
    int matrix, primaries, transfer;
    double red, blue;  ///< luma weights
    const char *spaceTag, *primariesTag, *transferTag;
};

// Luma weights after BT.601, BT.709 and BT.2020, as their equations give them.
const std::array kCodings{Coding{"601", 6, 6, 6, 0.299, 0.114, "smpte170m", "smpte170m", "smpte170m"},
                          Coding{"601pal", 5, 5, 6, 0.299, 0.114, "bt470bg", "bt470bg", "smpte170m"},
                          Coding{"709", 1, 1, 1, 0.2126, 0.0722, "bt709", "bt709", "bt709"},
                          Coding{"2020", 9, 9, 14, 0.2627, 0.0593, "bt2020nc", "bt2020", "bt2020-10"}};

/// Y', Cb, Cr of a colour as integers of the given depth.
std::array<int, 3> coded(const Coding& coding, cv::Vec3f colour, int bits, bool full) {
    const double luma = coding.red * colour[0] + (1 - coding.red - coding.blue) * colour[1] + coding.blue * colour[2];
    const double cb = (colour[2] - luma) / (2 * (1 - coding.blue)), cr = (colour[0] - luma) / (2 * (1 - coding.red));
    const double step = std::pow(2.0, bits - 8), top = std::pow(2.0, bits) - 1, middle = std::pow(2.0, bits - 1);
    auto rounded = [&](double value) { return static_cast<int>(std::clamp(std::floor(value + 0.5), 0.0, top)); };
    if (full) return {rounded(luma * top), rounded(cb * top + middle), rounded(cr * top + middle)};
    return {rounded((219 * luma + 16) * step), rounded((224 * cb + 128) * step), rounded((224 * cr + 128) * step)};
}

/// The sample in the middle of each plane of one of so many frames, as stored.
std::array<int, 3> middleOf(const std::vector<std::uint8_t>& raw, int bits, std::size_t frame, std::size_t frameCount) {
    const std::size_t bytes = bits > 8 ? 2 : 1, lumaSize = kSide * kSide;
    const std::size_t frameSize = raw.size() / frameCount / bytes;
    const std::size_t chromaSize = (frameSize - lumaSize) / 2;  // as much as the subsampling leaves
    const std::size_t chromaWidth = chromaSize == lumaSize ? kSide : kSide / 2;
    auto middle = [](std::size_t width, std::size_t size) { return size / 2 + width / 2; };
    const std::array<std::size_t, 3> at{middle(kSide, lumaSize), lumaSize + middle(chromaWidth, chromaSize),
                                        lumaSize + chromaSize + middle(chromaWidth, chromaSize)};
    std::array<int, 3> samples{};
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t index = (frame * frameSize + at[i]) * bytes;
        samples[i] = bits > 8 ? raw.at(index) + 256 * raw.at(index + 1) : raw.at(index);
    }
    return samples;
}

ClipInfo clipIn(const Coding& coding, bool full, int bits) {
    ClipInfo clip = clipOf(kSide, kSide);
    clip.video.colour = {coding.primaries, coding.transfer, coding.matrix, full, true, 1};
    clip.video.bitsPerComponent = bits;
    return clip;
}

/// One frame of each colour.
void writePatches(const std::filesystem::path& file, const ClipInfo& clip, const std::vector<cv::Vec3f>& colours,
                  const EncodeOptions& options) {
    auto sink = openFrameSink(file, kSide, kSide, clip, {}, options);
    ASSERT_TRUE(sink) << sink.error().message;
    std::int64_t index = 0;
    for (const cv::Vec3f& colour : colours) ASSERT_TRUE((*sink)->write(flatFrame(kSide, kSide, colour, index++)));
    ASSERT_TRUE((*sink)->finish());
}

/// A lossless codec must hold the very numbers that the standards' equations give.
TEST(ColourSink, LosslessValuesAreExact) {
    SKIP_WITHOUT_FFMPEG();
    EncodeOptions options;
    options.codec = "ffv1";
    for (const Coding& coding : kCodings) {
        for (const bool full : {false, true}) {
            for (const int bits : {8, 10}) {
                const ScratchFolder folder;
                const auto file = folder / "a.mkv";
                writePatches(file, clipIn(coding, full, bits), {kPatches.begin(), kPatches.end()}, options);
                const auto raw = decoded(file, "");
                for (std::size_t i = 0; i < kPatches.size(); ++i) {
                    EXPECT_EQ(middleOf(raw, bits, i, kPatches.size()), coded(coding, kPatches[i], bits, full))
                        << coding.name << (full ? " full " : " limited ") << bits << " bits, patch " << i;
                }
            }
        }
    }
}

/// Lossy codecs with 4:2:0: within what quantisation moves, and tagged so that any player finds the colours again.
TEST(ColourSink, LossyValuesAreCloseAndTagged) {
    SKIP_WITHOUT_FFMPEG();
    struct Output {
        const char *name, *codec;
        bool saysFull;
    };
    for (const Output& output :
         {Output{"a.mp4", "h264", true}, Output{"a.mkv", "h265", true}, Output{"a.webm", "vp9", true},
          Output{"a.mov", "prores", false}, Output{"a.mp4", "av1", true}}) {
        for (const Coding& coding : {kCodings[0], kCodings[2], kCodings[3]}) {
            for (const bool full : {false, true}) {
                const ScratchFolder folder;
                const auto file = folder / output.name;
                EncodeOptions options;
                options.codec = output.codec;
                options.quality = 95;
                options.threads = 2;
                writePatches(file, clipIn(coding, full, 8), {kPatches[6], kPatches[6]}, options);
                const auto video = videoStreamOf(probe(file));
                const bool keptFull = full && output.saysFull;
                const std::string what = fmt::format("{} {} {}", output.codec, coding.name, full ? "full" : "limited");
                EXPECT_EQ(video["color_space"], coding.spaceTag) << what;
                EXPECT_EQ(video.value("color_range", "tv"), keptFull ? "pc" : "tv") << what;
                // VP9 itself tells the matrix only; Matroska's kin tells the rest.
                EXPECT_EQ(video["color_primaries"], coding.primariesTag) << what;
                EXPECT_EQ(video["color_transfer"], coding.transferTag) << what;
                const bool deep = std::string(output.codec) == "prores";
                const auto raw = middleOf(decoded(file, ""), deep ? 10 : 8, 0, 2);
                const auto wanted = coded(coding, kPatches[6], deep ? 10 : 8, keptFull);
                for (std::size_t i = 0; i < 3; ++i)
                    EXPECT_NEAR(raw[i], wanted[i], deep ? 4 : 2) << what << " plane " << i;
            }
        }
    }
}

/// What is not tagged is guessed as players do, and then tagged.
TEST(ColourSink, UntaggedClipsAreTaggedBySize) {
    SKIP_WITHOUT_FFMPEG();
    for (const auto& [height, tag] :
         {std::pair{480, "smpte170m"}, std::pair{576, "bt470bg"}, std::pair{720, "bt709"}}) {
        const ScratchFolder folder;
        ClipInfo clip = clipOf(64, height);
        clip.video.colour = {};
        EncodeOptions options;
        options.codec = "h264";
        writeClip(folder / "a.mp4", clip, 1, {}, options);
        const auto video = videoStreamOf(probe(folder / "a.mp4"));
        EXPECT_EQ(video["color_space"], tag);
        EXPECT_EQ(video["color_range"], "tv");
    }
}

TEST(ColourSink, ChromaLocationIsKept) {
    SKIP_WITHOUT_FFMPEG();
    for (const auto& [location, tag] : {std::pair{1, "left"}, std::pair{2, "center"}, std::pair{3, "topleft"}}) {
        const ScratchFolder folder;
        ClipInfo clip = clipOf(64, 48);
        clip.video.colour.chromaLocation = location;
        writeClip(folder / "a.mp4", clip, 2);
        EXPECT_EQ(videoStreamOf(probe(folder / "a.mp4"))["chroma_location"], tag);
    }
}

TEST(ColourSink, PicturesMadeIntoVideoAreLimitedAndTaggedSrgb) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    ClipInfo clip = clipOf(64, 48);
    clip.isSequence = true;
    clip.video.colour = {2, 2, 0, true, true, 0};
    writeClip(folder / "a.mp4", clip, 3);
    const auto video = videoStreamOf(probe(folder / "a.mp4"));
    EXPECT_EQ(video["color_range"], "tv");
    EXPECT_EQ(video["color_space"], "smpte170m");
    EXPECT_EQ(video["color_primaries"], "bt709");
    EXPECT_EQ(video["color_transfer"], "iec61966-2-1");
}

/// Frames that came from PQ or HLG are tone-mapped before they get here.
TEST(ColourSink, ToneMappedClipsAreTaggedBt709) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    ClipInfo clip = clipOf(64, 48);
    clip.video.colour = {9, 16, 9, false, true, 1};
    writeClip(folder / "a.mp4", clip, 1);
    const auto video = videoStreamOf(probe(folder / "a.mp4"));
    EXPECT_EQ(video["color_space"], "bt709");
    EXPECT_EQ(video["color_transfer"], "bt709");
    EXPECT_EQ(video["color_primaries"], "bt709");
}

/// The same picture in every frame must decode to the same samples in every frame: no dither that moves.
TEST(ColourSink, StillSceneryStaysStill) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    EncodeOptions options;
    options.codec = "ffv1";
    auto sink = openFrameSink(folder / "a.mkv", kSide, kSide, clipOf(kSide, kSide), {}, options);
    ASSERT_TRUE(sink);
    VideoFrame frame = movingFrame(kSide, kSide, 0);
    for (int i = 0; i < 3; ++i) {
        frame.time = Rational(i, 25);
        ASSERT_TRUE((*sink)->write(frame));
    }
    ASSERT_TRUE((*sink)->finish());
    const auto raw = decoded(folder / "a.mkv", "yuv444p");
    const std::size_t size = raw.size() / 3;
    ASSERT_EQ(size, 3U * kSide * kSide);
    EXPECT_EQ(std::memcmp(raw.data(), raw.data() + size, size), 0);
    EXPECT_EQ(std::memcmp(raw.data(), raw.data() + 2 * size, size), 0);
}

/// Over- and undershoot is clamped, not wrapped.
TEST(ColourSink, ValuesOutsideAreClamped) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    EncodeOptions options;
    options.codec = "ffv1";
    writePatches(folder / "a.mkv", clipIn(kCodings[2], true, 8), {{1.4F, 1.4F, 1.4F}, {-0.4F, -0.4F, -0.4F}}, options);
    const auto raw = decoded(folder / "a.mkv", "");
    EXPECT_EQ(middleOf(raw, 8, 0, 2)[0], 255);
    EXPECT_EQ(middleOf(raw, 8, 1, 2)[0], 0);
}

}  // namespace

}  // namespace reelbrush::media
