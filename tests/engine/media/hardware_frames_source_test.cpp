#include "tests/engine/media/source_test_kit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <opencv2/core.hpp>

/// Frames by a graphics card's decoder against those of the processor. Skipped where no card decodes the clip.
namespace reelbrush::media::test {

namespace {

namespace fs = std::filesystem;

OpenOptions byCard() {
    OpenOptions options;
    options.cudaDevice = 0;
    return options;
}

/// Why the card does not decode the clip; empty: it does.
std::string refusal(const fs::path& clip) {
    const auto source = openFrameSource(clip, byCard());
    if (!source) return source.error().message;
    if ((*source)->usesHardware()) return {};
    const std::vector<std::string> notes = (*source)->notes();
    return notes.empty() ? "there is no NVIDIA driver" : fmt::format("{}", fmt::join(notes, "; "));
}

void expectSameFrames(const std::vector<VideoFrame>& card, const std::vector<VideoFrame>& processor) {
    ASSERT_EQ(card.size(), processor.size());
    for (std::size_t i = 0; i < card.size(); ++i) {
        ASSERT_EQ(card[i].rgb.size(), processor[i].rgb.size()) << i;
        EXPECT_EQ(cv::norm(card[i].rgb, processor[i].rgb, cv::NORM_INF), 0) << "frame " << i;
        EXPECT_EQ(card[i].time, processor[i].time) << i;
        EXPECT_EQ(card[i].duration.toString(), processor[i].duration.toString()) << i;
        EXPECT_EQ(card[i].index, processor[i].index) << i;
    }
}

fs::path bundled(const char* name) {
    return fs::path(REELBRUSH_SOURCE_DIR) / "tests/data/video" / name;
}

class HardwareFramesTest : public ::testing::TestWithParam<const char*> {
  protected:
    fs::path clip() const { return bundled(GetParam()); }
};

}  // namespace

TEST_P(HardwareFramesTest, AreThoseOfTheProcessorToTheBit) {
    if (const std::string reason = refusal(clip()); !reason.empty()) GTEST_SKIP() << reason;
    const ReadResult card = readWhole(clip(), byCard()), processor = readWhole(clip());
    EXPECT_EQ(processor.frames.size(), 24U);
    expectSameFrames(card.frames, processor.frames);
    EXPECT_EQ(card.info.video.pixelFormat, processor.info.video.pixelFormat);
    EXPECT_EQ(card.info.video.bitsPerComponent, processor.info.video.bitsPerComponent);
    EXPECT_EQ(card.info.video.width, processor.info.video.width);
    EXPECT_EQ(card.info.video.height, processor.info.video.height);
    EXPECT_EQ(card.info.video.rotationDegrees, processor.info.video.rotationDegrees);
    EXPECT_EQ(card.info.video.variableRate, processor.info.video.variableRate);
    EXPECT_EQ(card.info.video.averageRate, processor.info.video.averageRate);
    EXPECT_EQ(card.info.video.colour.primaries, processor.info.video.colour.primaries);
    EXPECT_EQ(card.info.video.colour.transfer, processor.info.video.colour.transfer);
    EXPECT_EQ(card.info.video.colour.matrix, processor.info.video.colour.matrix);
    EXPECT_EQ(card.info.video.colour.fullRange, processor.info.video.colour.fullRange);
    EXPECT_EQ(card.info.video.colour.chromaLocation, processor.info.video.colour.chromaLocation);
}

TEST_P(HardwareFramesTest, AreTheSameFromTheMiddle) {
    if (const std::string reason = refusal(clip()); !reason.empty()) GTEST_SKIP() << reason;
    OpenOptions options = byCard();
    options.firstFrame = 18;
    options.lastFrame = 21;
    const ReadResult card = readWhole(clip(), options);
    options.cudaDevice = -1;
    const ReadResult processor = readWhole(clip(), options);
    EXPECT_EQ(processor.frames.size(), 4U);
    expectSameFrames(card.frames, processor.frames);
}

class HardwareDamageTest : public SourceTest {};

TEST_F(HardwareDamageTest, AFileCutShortEndsWithTheSameFramesAndError) {
    if (const std::string reason = refusal(bundled("vp9.webm")); !reason.empty()) GTEST_SKIP() << reason;
    fs::copy_file(bundled("vp9.webm"), file("cut.webm"));
    truncateFile("cut.webm", 0.7);
    const ReadResult card = readAll(file("cut.webm"), byCard()), processor = readAll(file("cut.webm"));
    EXPECT_FALSE(processor.error.message.empty());
    EXPECT_EQ(card.error.message, processor.error.message);
    expectSameFrames(card.frames, processor.frames);
}

INSTANTIATE_TEST_SUITE_P(Clips, HardwareFramesTest,
                         ::testing::Values("h264.mp4", "h264-uneven-turned.mp4", "hevc.mp4", "hevc-10.mp4", "vp8.webm",
                                           "vp9.webm", "av1.mp4", "av1-10.mp4"),
                         [](const auto& clip) {
                             std::string name = clip.param;
                             for (char& letter : name)
                                 if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
                             return name;
                         });

}  // namespace reelbrush::media::test
