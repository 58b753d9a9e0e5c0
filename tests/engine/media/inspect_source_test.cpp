#include "tests/engine/media/source_test_kit.h"

#include <cstdlib>

namespace reelbrush::media::test {

class InspectSourceTest : public SourceTest {};

TEST_F(InspectSourceTest, TellsWhatAFileHolds) {
    SKIP_WITHOUT_FFMPEG();
    writeFile("a.srt", "1\n00:00:00,000 --> 00:00:01,000\nhello\n");
    ffmpeg(
        "-f lavfi -i testsrc2=s=160x96:r=24000/1001:d=2 -f lavfi -i sine=d=2:r=48000 -f lavfi -i "
        "anullsrc=r=44100:cl=stereo:d=1 "
        "-i a.srt -map 0 -map 1 -map 2 -map 3 -shortest -c:v libx264 -pix_fmt yuv420p10le -color_primaries bt709 "
        "-color_trc bt709 -colorspace bt709 -color_range tv -vf setsar=16/15 -c:a aac -c:s srt "
        "-metadata:s:a:1 language=deu a.mkv");
    const auto clip = inspectClip(file("a.mkv"));
    ASSERT_TRUE(clip) << clip.error().message;
    EXPECT_EQ(clip->container, "matroska,webm");
    EXPECT_EQ(clip->video.codec, "h264");
    EXPECT_EQ(clip->video.pixelFormat, "yuv420p10le");
    EXPECT_EQ(clip->video.bitsPerComponent, 10);
    EXPECT_EQ(clip->video.width, 160);
    EXPECT_EQ(clip->video.height, 96);
    EXPECT_EQ(clip->video.pixelAspect, Rational(16, 15));
    EXPECT_EQ(clip->video.averageRate, Rational(24000, 1001));
    EXPECT_EQ(clip->video.colour.primaries, 1);
    EXPECT_EQ(clip->video.colour.transfer, 1);
    EXPECT_EQ(clip->video.colour.matrix, 1);
    EXPECT_FALSE(clip->video.colour.fullRange);
    EXPECT_FALSE(clip->video.interlaced);
    EXPECT_FALSE(clip->video.hasAlpha);
    EXPECT_FALSE(clip->isPicture);
    EXPECT_GT(clip->sizeBytes, 1000);
    ASSERT_EQ(clip->others.size(), 3U);
    EXPECT_EQ(clip->others[0].kind, "audio");
    EXPECT_EQ(clip->others[0].codec, "aac");
    EXPECT_EQ(clip->others[0].sampleRate, 48000);
    EXPECT_EQ(clip->others[0].channels, 1);
    EXPECT_EQ(clip->others[1].language, "deu");
    EXPECT_EQ(clip->others[1].channels, 2);
    EXPECT_EQ(clip->others[2].kind, "subtitle");
}

TEST_F(InspectSourceTest, TellsInterlacing) {
    SKIP_WITHOUT_FFMPEG();
    for (const char* codec :
         {"mpeg2video -flags +ildct+ilme", "libx264 -flags +ildct+ilme", "prores_ks -flags +ildct"}) {
        SCOPED_TRACE(codec);
        ffmpeg(
            std::string(
                "-f lavfi -i testsrc2=s=160x96:r=50:d=0.4 -vf tinterlace=interleave_top,fieldorder=tff -top 1 -c:v ") +
            codec + " i.mov");
        EXPECT_TRUE(inspectClip(file("i.mov"))->video.interlaced);
    }
}

TEST_F(InspectSourceTest, TakesTheMainVideoAndNoCover) {
    SKIP_WITHOUT_FFMPEG();
    ffmpeg("-f lavfi -i testsrc2=s=320x240 -frames:v 1 cover.png");
    ffmpeg(
        "-i cover.png -f lavfi -i testsrc2=s=64x48:r=25:d=0.2 -map 0 -map 1 -c:v:0 png -c:v:1 libx264 "
        "-disposition:v:0 attached_pic a.mp4");
    const ReadResult covered = readWhole(file("a.mp4"));
    EXPECT_EQ(covered.info.video.width, 64);
    EXPECT_EQ(covered.frames.size(), 5U);
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=0.2 -f lavfi -i testsrc2=s=128x96:r=25:d=0.2 -map 0 -map 1 -c:v libx264 "
        "-disposition:v:0 0 -disposition:v:1 0 -default_mode passthrough two.mkv");
    EXPECT_EQ(inspectClip(file("two.mkv"))->video.width, 128);
    ffmpeg("-i two.mkv -map 0 -c copy -disposition:v:0 default -disposition:v:1 0 -default_mode passthrough first.mkv");
    EXPECT_EQ(inspectClip(file("first.mkv"))->video.width, 64);
}

TEST_F(InspectSourceTest, TakesPathsInAnyScript) {
    SKIP_WITHOUT_FFMPEG();
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.2 -pix_fmt yuv420p 'my 影片 🎞.mp4'");
    EXPECT_EQ(readWhole(file("my 影片 🎞.mp4")).frames.size(), 5U);
}

TEST_F(InspectSourceTest, ReadsTheSharedClips) {
    const char* fixtures = std::getenv("REELBRUSH_FIXTURES");
    const std::filesystem::path root = fixtures ? fixtures : REELBRUSH_SOURCE_DIR "/../shared";
    if (!std::filesystem::exists(root / "media/clips")) GTEST_SKIP() << "no clips in " << root;
    for (const auto& entry : std::filesystem::directory_iterator(root / "media/clips")) {
        SCOPED_TRACE(entry.path().filename());
        const auto clip = inspectClip(entry.path());
        ASSERT_TRUE(clip) << clip.error().message;
        OpenOptions options;
        options.firstFrame = clip->video.frameCount - 2;
        const ReadResult end = readWhole(entry.path(), options);
        EXPECT_EQ(end.frames.size(), 2U);
    }
}

}  // namespace reelbrush::media::test
