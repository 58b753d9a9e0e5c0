#include "tests/engine/media/source_test_kit.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <random>

namespace reelbrush::media::test {

class BadInputSourceTest : public SourceTest {
  protected:
    /// Opening and inspecting fail with one sentence that names the file and has the words.
    void expectRefused(const std::filesystem::path& path, StatusCode code, const std::string& words) const {
        SCOPED_TRACE(path);
        const auto source = openFrameSource(path);
        ASSERT_FALSE(source);
        EXPECT_EQ(source.error().code, code) << source.error().message;
        const std::string& message = source.error().message;
        EXPECT_NE(message.find(words), std::string::npos) << message;
        EXPECT_NE(message.find(path.filename().string()), std::string::npos) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        const auto info = inspectClip(path);
        ASSERT_FALSE(info);
        EXPECT_EQ(info.error().message, message);
    }
};

TEST_F(BadInputSourceTest, MissingEmptyAndSpecialFiles) {
    expectRefused(file("missing.mp4"), StatusCode::Io, "does not exist");
    writeFile("empty.mp4", "");
    expectRefused(file("empty.mp4"), StatusCode::BadInput, "is empty");
    ASSERT_EQ(mkfifo(file("pipe.mp4").c_str(), 0600), 0);
    expectRefused(file("pipe.mp4"), StatusCode::Io, "not a regular file");
    expectRefused(file("missing.mp4") / "x.mp4", StatusCode::Io, "does not exist");
    const auto nothing = openFrameSource("");
    EXPECT_EQ(nothing.error().code, StatusCode::BadInput);
}

TEST_F(BadInputSourceTest, UnreadableFile) {
    writeFile("locked.mp4", "something");
    std::filesystem::permissions(file("locked.mp4"), std::filesystem::perms::none);
    std::filesystem::permissions(folder_, std::filesystem::perms::all);
    // The administrator may read everything: become nobody for a moment.
    const bool isRoot = geteuid() == 0;
    if (isRoot) {
        ASSERT_EQ(seteuid(65534), 0);
    }
    expectRefused(file("locked.mp4"), StatusCode::Io, "Permission denied");
    if (isRoot) {
        ASSERT_EQ(seteuid(0), 0);
    }
}

TEST_F(BadInputSourceTest, NoMedia) {
    writeFile("text.mp4", "Dear diary, today I renamed a letter to a film.\nIt did not help.\n");
    expectRefused(file("text.mp4"), StatusCode::BadInput, "neither a video nor a picture");
    writeFile("text.png", std::string(5000, 'x'));
    expectRefused(file("text.png"), StatusCode::BadInput, "neither a video nor a picture");
    std::mt19937 random(7);
    std::string noise;
    for (int i = 0; i < 100000; ++i) noise += static_cast<char>(random() & 255);
    writeFile("noise.mkv", noise);
    expectRefused(file("noise.mkv"), StatusCode::BadInput, "noise.mkv");
    writeFile("one.mp4", "x");
    expectRefused(file("one.mp4"), StatusCode::BadInput, "neither a video nor a picture");
}

TEST_F(BadInputSourceTest, OnlySound) {
    SKIP_WITHOUT_FFMPEG();
    ffmpeg("-f lavfi -i sine=d=0.2 sound.wav");
    expectRefused(file("sound.wav"), StatusCode::BadInput, "has no video, only sound");
    ffmpeg("-f lavfi -i sine=d=0.2 -c:a aac sound.mp4");
    expectRefused(file("sound.mp4"), StatusCode::BadInput, "has no video, only sound");
    ffmpeg("-f lavfi -i testsrc2=s=64x64 -frames:v 1 cover.png");
    ffmpeg("-i sound.wav -i cover.png -map 0 -map 1 -c:v copy -disposition:v attached_pic cover.mp3");
    expectRefused(file("cover.mp3"), StatusCode::BadInput, "only sound and a cover picture");
}

TEST_F(BadInputSourceTest, UnknownCodec) {
    SKIP_WITHOUT_FFMPEG();
    ffmpeg("-f lavfi -i testsrc2=s=64x64:d=0.2 -c:v mpeg4 a.mov");
    std::string bytes = readFile("a.mov");
    const std::size_t tag = bytes.find("mp4v");
    ASSERT_NE(tag, std::string::npos);
    bytes.replace(tag, 4, "zzzz");
    for (std::size_t esds; (esds = bytes.find("esds")) != std::string::npos;) bytes.replace(esds, 4, "free");
    writeFile("a.mov", bytes);
    expectRefused(file("a.mov"), StatusCode::Unsupported, "'zzzz'");
}

TEST_F(BadInputSourceTest, AbsurdSizes) {
    writeFile("wide.ppm", fmt::format("P6\n16385 2\n255\n{:>98310}", "x"));
    expectRefused(file("wide.ppm"), StatusCode::Unsupported, "16385 x 2");
    writeFile("huge.ppm", "P6\n100000 100000\n255\nxxx");
    expectRefused(file("huge.ppm"), StatusCode::Unsupported, "above the limit");
    SKIP_WITHOUT_FFMPEG();
    ffmpeg("-f lavfi -i testsrc2=s=64x64 -frames:v 1 a.png");
    std::string bytes = readFile("a.png");
    bytes.replace(16, 8, std::string("\0\1\0\0\0\1\0\0", 8));  // 65536 x 65536; the checksum is wrong then too
    writeFile("huge.png", bytes);
    const auto refused = openFrameSource(file("huge.png"));
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("huge.png"), std::string::npos) << refused.error().message;
}

TEST_F(BadInputSourceTest, OpensNothingButTheFileItself) {
    SKIP_WITHOUT_FFMPEG();
    ffmpeg("-f lavfi -i testsrc2=s=64x64:d=0.2 -pix_fmt yuv420p inner.mp4");
    writeFile("list.mp4", "ffconcat version 1.0\nfile inner.mp4\n");
    EXPECT_FALSE(openFrameSource(file("list.mp4")));
    ffmpeg("-f lavfi -i testsrc2=s=64x64:d=0.2 -pix_fmt yuv420p inner.ts");
    writeFile("list.m3u8", fmt::format("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:0.2,\n{}\n#EXT-X-ENDLIST\n",
                                       file("inner.ts").string()));
    EXPECT_FALSE(openFrameSource(file("list.m3u8")));
    for (const char* address : {"http://example.invalid/a.mp4", "pipe:0", "concat:inner.mp4|inner.mp4", "data:,x"}) {
        const auto source = openFrameSource(address);
        ASSERT_FALSE(source) << address;
        EXPECT_EQ(source.error().code, StatusCode::Io) << source.error().message;
    }
    // A real file of such a name opens as that file.
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::copy_file(file("inner.mp4"), file("pipe:0"));
    std::filesystem::current_path(folder_);
    EXPECT_TRUE(openFrameSource("pipe:0"));
    std::filesystem::current_path(before);
}

TEST_F(BadInputSourceTest, NothingIsPrinted) {
    writeFile("text.mp4", "ftyp moov mdat");
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    EXPECT_FALSE(openFrameSource(file("text.mp4")));
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

}  // namespace reelbrush::media::test
