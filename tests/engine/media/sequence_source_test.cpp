#include "tests/engine/media/source_test_kit.h"

#include <fmt/format.h>

#include <filesystem>
#include <opencv2/core.hpp>

namespace reelbrush::media::test {

class SequenceSourceTest : public SourceTest {
  protected:
    /// A PPM of 4 x 4 pixels of one grey: needs no encoder.
    void makePicture(const std::string& name, int grey, const char* size = "4 4") const {
        const int pixels = (size[0] - '0') * (size[2] - '0');
        writeFile(name, fmt::format("P6\n{}\n255\n{}", size,
                                    std::string(static_cast<std::size_t>(pixels * 3), static_cast<char>(grey))));
    }
    void expectFails(const std::filesystem::path& path, StatusCode code, const std::string& word) const {
        const ReadResult result = readAll(path);
        EXPECT_EQ(result.error.code, code);
        EXPECT_NE(result.error.message.find(word), std::string::npos) << result.error.message;
        const auto info = inspectClip(path);
        EXPECT_FALSE(info && result.frames.empty());
    }
};

TEST_F(SequenceSourceTest, ReadsAPatternInOrderAndAtItsRate) {
    for (int i = 0; i < 12; ++i) makePicture(fmt::format("shot.{:04}.ppm", i + 95), 10 * i);
    makePicture("other.0001.ppm", 255);
    OpenOptions options;
    options.sequenceRate = Rational(24000, 1001);
    const ReadResult clip = readWhole(file("shot.%04d.ppm"), options);
    ASSERT_EQ(clip.frames.size(), 12U);
    for (std::int64_t i = 0; i < 12; ++i) {
        const VideoFrame& frame = clip.frames[static_cast<std::size_t>(i)];
        EXPECT_EQ(frame.time, Rational(i * 1001, 24000));
        EXPECT_EQ(frame.duration, Rational(1001, 24000));
        EXPECT_EQ(frame.index, i);
        EXPECT_NEAR(middleColour(frame.rgb)[0], static_cast<double>(i) * 10 / 255, 1e-6);
    }
    EXPECT_TRUE(clip.info.isSequence);
    EXPECT_FALSE(clip.info.isPicture);
    EXPECT_EQ(clip.info.video.frameCount, 12);
    EXPECT_TRUE(clip.info.video.frameCountExact);
    EXPECT_EQ(clip.info.video.averageRate, Rational(24000, 1001));
    EXPECT_EQ(clip.info.duration, Rational(12 * 1001, 24000));
    EXPECT_GT(clip.info.sizeBytes, 12 * 48);
    EXPECT_EQ(inspectClip(file("shot.%04d.ppm"))->video.averageRate, Rational(25));
}

TEST_F(SequenceSourceTest, ReadsAFolder) {
    std::filesystem::create_directories(file("框 架 🎬"));
    for (int i = 1; i <= 11; ++i) makePicture(fmt::format("框 架 🎬/v2 帧{}.ppm", i), 20 * i);
    writeFile("框 架 🎬/notes 1.txt", "no picture");
    const ReadResult clip = readWhole(file("框 架 🎬"));
    ASSERT_EQ(clip.frames.size(), 11U);
    EXPECT_NEAR(middleColour(clip.frames[9].rgb)[0], 200 / 255.0, 1e-6);
}

TEST_F(SequenceSourceTest, GivesARange) {
    for (int i = 0; i < 6; ++i) makePicture(fmt::format("{:03}.ppm", i), 10 * i);
    OpenOptions options;
    options.firstFrame = 2;
    options.lastFrame = 3;
    const ReadResult part = readWhole(file("%03d.ppm"), options);
    ASSERT_EQ(part.frames.size(), 2U);
    EXPECT_EQ(part.frames[0].index, 2);
    EXPECT_EQ(part.frames[0].time, Rational(2, 25));
    options.firstFrame = 6;
    EXPECT_EQ(readAll(file("%03d.ppm"), options).error.code, StatusCode::BadInput);
    options = {};
    options.sequenceRate = Rational(0);
    EXPECT_EQ(readAll(file("%03d.ppm"), options).error.code, StatusCode::BadInput);
}

TEST_F(SequenceSourceTest, OneNumberedFileIsOnePicture) {
    for (int i = 0; i < 3; ++i) makePicture(fmt::format("IMG_{:04}.ppm", i), 10 * i);
    const ReadResult picture = readWhole(file("IMG_0001.ppm"));
    EXPECT_EQ(picture.frames.size(), 1U);
    EXPECT_TRUE(picture.info.isPicture);
}

TEST_F(SequenceSourceTest, AFileThatLooksLikeAPatternIsThatFile) {
    makePicture("100%d.ppm", 99);
    makePicture("1001.ppm", 1);
    const ReadResult picture = readWhole(file("100%d.ppm"));
    ASSERT_EQ(picture.frames.size(), 1U);
    EXPECT_NEAR(middleColour(picture.frames[0].rgb)[0], 99 / 255.0, 1e-6);
    makePicture("50% off 07.ppm", 7);
    EXPECT_EQ(readWhole(file("50%% off %02d.ppm")).frames.size(), 1U);
}

TEST_F(SequenceSourceTest, SaysWhatIsWrong) {
    std::filesystem::create_directories(file("gap"));
    for (const int i : {1, 2, 3, 7, 8}) makePicture(fmt::format("gap/{:04}.ppm", i), i);
    expectFails(file("gap"), StatusCode::BadInput, "0004 to 0006");
    expectFails(file("gap/%04d.ppm"), StatusCode::BadInput, "0004 to 0006");
    expectFails(file("none.%04d.ppm"), StatusCode::Io, "none.%04d.ppm");
    expectFails(file("nowhere/%04d.ppm"), StatusCode::Io, "nowhere");

    std::filesystem::create_directories(file("empty"));
    expectFails(file("empty"), StatusCode::BadInput, "no numbered pictures");
    std::filesystem::create_directories(file("two"));
    makePicture("two/a1.ppm", 1);
    makePicture("two/b1.ppm", 1);
    expectFails(file("two"), StatusCode::BadInput, "'a%d.ppm', 'b%d.ppm'");
    std::filesystem::create_directories(file("mixed"));
    makePicture("mixed/01.ppm", 1);
    makePicture("mixed/1.ppm", 1);
    expectFails(file("mixed"), StatusCode::BadInput, "more than one way");
}

TEST_F(SequenceSourceTest, NamesThePictureThatDoesNotFit) {
    for (int i = 0; i < 4; ++i) makePicture(fmt::format("{:03}.ppm", i), 10 * i, i == 2 ? "4 3" : "4 4");
    const ReadResult sizes = readAll(file("%03d.ppm"));
    EXPECT_EQ(sizes.frames.size(), 2U);
    EXPECT_EQ(sizes.error.code, StatusCode::BadInput);
    EXPECT_NE(sizes.error.message.find("002.ppm"), std::string::npos);
    EXPECT_NE(sizes.error.message.find("4 x 3"), std::string::npos) << sizes.error.message;
    writeFile("002.ppm", "");
    EXPECT_NE(readAll(file("%03d.ppm")).error.message.find("002.ppm' is empty"), std::string::npos);
    writeFile("002.ppm", "this is text, no picture");
    const ReadResult text = readAll(file("%03d.ppm"));
    EXPECT_EQ(text.frames.size(), 2U);
    EXPECT_NE(text.error.message.find("002.ppm"), std::string::npos) << text.error.message;
}

}  // namespace reelbrush::media::test
