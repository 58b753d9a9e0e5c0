#include "engine/media/container_length.h"
#include "tests/engine/media/source_test_kit.h"

#include <fmt/format.h>

#include <opencv2/core.hpp>

namespace reelbrush::media::test {

class DamagedSourceTest : public SourceTest {
  protected:
    void makeClip(const std::string& name, const std::string& options) const {
        ffmpeg(fmt::format("-f lavfi -i testsrc2=s=160x120:r=25:d=2 {} {}", options, name));
    }
};

TEST_F(DamagedSourceTest, ACutFileGivesItsWholeFramesFirst) {
    SKIP_WITHOUT_FFMPEG();
    const struct {
        const char* name;
        const char* options;
    } kinds[] = {{"a.mp4", "-c:v libx264 -bf 0 -g 10 -movflags faststart"},
                 {"b.mp4", "-c:v libx264 -bf 2 -g 10 -movflags frag_keyframe+empty_moov"},
                 {"a.mkv", "-c:v libx264 -bf 0 -g 10"},
                 {"a.webm", "-c:v libvpx-vp9 -deadline realtime -g 10"},
                 {"a.avi", "-c:v mpeg4 -bf 0 -g 10"},
                 {"b.mkv", "-c:v ffv1 -level 3"},
                 {"a.mov", "-c:v prores_ks -movflags faststart"}};
    for (const auto& kind : kinds) {
        SCOPED_TRACE(kind.name);
        makeClip(kind.name, kind.options);
        EXPECT_FALSE(isCutShort(file(kind.name)));
        const ReadResult whole = readWhole(file(kind.name));
        ASSERT_EQ(whole.frames.size(), 50U);
        truncateFile(kind.name, 0.6);
        EXPECT_TRUE(isCutShort(file(kind.name)));
        const ReadResult cut = readAll(file(kind.name));
        EXPECT_GT(cut.frames.size(), 10U);
        EXPECT_LT(cut.frames.size(), 50U);
        for (std::size_t i = 0; i < cut.frames.size(); ++i)
            ASSERT_EQ(cv::norm(cut.frames[i].rgb, whole.frames[i].rgb, cv::NORM_INF), 0) << i;
        EXPECT_EQ(cut.error.code, StatusCode::BadInput);
        EXPECT_NE(cut.error.message.find("cut short"), std::string::npos) << cut.error.message;
        EXPECT_NE(cut.error.message.find(kind.name), std::string::npos) << cut.error.message;
        EXPECT_NE(cut.error.message.find(fmt::format("({} frames)", cut.frames.size())), std::string::npos)
            << cut.error.message;

        OpenOptions early;
        early.lastFrame = 5;
        EXPECT_EQ(readWhole(file(kind.name), early).frames.size(), 6U);
    }
}

TEST_F(DamagedSourceTest, AnErrorStays) {
    SKIP_WITHOUT_FFMPEG();
    makeClip("a.mp4", "-c:v libx264 -movflags faststart");
    truncateFile("a.mp4", 0.7);
    auto source = openFrameSource(file("a.mp4"));
    ASSERT_TRUE(source);
    auto frame = (*source)->next();
    while (frame && *frame) frame = (*source)->next();
    ASSERT_FALSE(frame);
    const std::string message = frame.error().message;
    EXPECT_EQ((*source)->next().error().message, message);
}

TEST_F(DamagedSourceTest, AnMp4WithoutItsIndexIsRefused) {
    SKIP_WITHOUT_FFMPEG();
    makeClip("a.mp4", "-c:v libx264");
    truncateFile("a.mp4", 0.5);
    const ReadResult refused = readAll(file("a.mp4"));
    EXPECT_EQ(refused.error.code, StatusCode::BadInput);
    EXPECT_NE(refused.error.message.find("moov"), std::string::npos) << refused.error.message;
}

TEST_F(DamagedSourceTest, DamagedDataIsToldWithItsTime) {
    SKIP_WITHOUT_FFMPEG();
    const struct {
        const char* name;
        const char* options;
    } kinds[] = {{"a.mp4", "-c:v libx264 -bf 0 -g 50"}, {"a.mkv", "-c:v ffv1 -level 3 -slicecrc 1"}};
    for (const auto& kind : kinds) {
        SCOPED_TRACE(kind.name);
        makeClip(kind.name, kind.options);
        std::string bytes = readFile(kind.name);
        for (std::size_t i = 0; i < 2000; ++i)
            bytes[bytes.size() / 2 + i] = static_cast<char>(bytes[bytes.size() / 2 + i] ^ 0x5A);
        writeFile(kind.name, bytes);
        const ReadResult damaged = readAll(file(kind.name));
        EXPECT_LT(damaged.frames.size(), 50U);
        EXPECT_EQ(damaged.error.code, StatusCode::BadInput);
        EXPECT_NE(damaged.error.message.find("damaged"), std::string::npos) << damaged.error.message;
        EXPECT_NE(damaged.error.message.find(" s ("), std::string::npos) << damaged.error.message;
    }
}

TEST_F(DamagedSourceTest, TrailingBytesDoNotMatter) {
    SKIP_WITHOUT_FFMPEG();
    for (const char* name : {"a.mp4", "a.mkv", "a.avi"}) {
        SCOPED_TRACE(name);
        makeClip(name, "-pix_fmt yuv420p");
        writeFile(name, readFile(name) + std::string(3000, '\0'));
        EXPECT_EQ(readWhole(file(name)).frames.size(), 50U);
    }
}

/// Every cut of a file must end in frames or in a sentence, never in a crash or a hang.
TEST_F(DamagedSourceTest, AnyCutIsSurvived) {
    SKIP_WITHOUT_FFMPEG();
    for (const char* name : {"a.mp4", "a.mkv", "a.png", "a.jpg", "a.exr", "a.webp", "a.gif"}) {
        ffmpeg(fmt::format("-f lavfi -i testsrc2=s=64x48:r=25:d=0.04 {}", name));
        const std::string bytes = readFile(name);
        for (int i = 1; i < 40; ++i) {
            const std::size_t length = bytes.size() * static_cast<std::size_t>(i) / 40;
            writeFile(std::string("cut") + name, bytes.substr(0, length));
            const ReadResult cut = readAll(file(std::string("cut") + name));
            EXPECT_TRUE(!cut.frames.empty() || !cut.error.message.empty()) << name << " at " << length;
            EXPECT_NE(cut.error.code == StatusCode::Internal && !cut.error.message.empty(), true) << cut.error.message;
        }
    }
}

}  // namespace reelbrush::media::test
