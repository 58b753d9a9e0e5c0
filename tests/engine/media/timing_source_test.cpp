#include "tests/engine/media/source_test_kit.h"

#include <fmt/format.h>

#include <opencv2/core.hpp>

namespace reelbrush::media::test {

class TimingSourceTest : public SourceTest {};

TEST_F(TimingSourceTest, ConstantRateIsExactThroughBFrames) {
    SKIP_WITHOUT_FFMPEG();
    for (const char* name : {"a.mp4", "a.mov"}) {
        SCOPED_TRACE(name);
        ffmpeg(fmt::format("-f lavfi -i testsrc2=s=64x48:r=30000/1001:d=1 -c:v libx264 -bf 3 -g 12 -pix_fmt yuv420p {}",
                           name));
        const ReadResult clip = readWhole(file(name));
        ASSERT_EQ(clip.frames.size(), 30U);
        for (std::size_t i = 0; i < clip.frames.size(); ++i) {
            EXPECT_EQ(clip.frames[i].time, Rational(static_cast<std::int64_t>(i) * 1001, 30000)) << i;
            EXPECT_EQ(clip.frames[i].duration, Rational(1001, 30000)) << i;
            EXPECT_EQ(clip.frames[i].index, static_cast<std::int64_t>(i));
        }
        EXPECT_EQ(clip.info.video.averageRate, Rational(30000, 1001));
        EXPECT_EQ(clip.info.video.nominalRate, Rational(30000, 1001));
        EXPECT_FALSE(clip.info.video.variableRate);
        EXPECT_TRUE(clip.info.video.frameCountExact);
        EXPECT_EQ(clip.info.video.frameCount, 30);
    }
}

TEST_F(TimingSourceTest, FramesArriveInPresentationOrder) {
    SKIP_WITHOUT_FFMPEG();
    // Each frame is a grey of its own, so that a swapped pair would show.
    ffmpeg(
        "-f lavfi -i \"color=black:s=64x64:r=24:d=1,geq=lum='20+N*8':cb=128:cr=128\" -c:v libx264 -bf 3 "
        "-x264-params b-adapt=0:b-pyramid=normal -qp 10 -pix_fmt yuv420p grey.mp4");
    const ReadResult clip = readWhole(file("grey.mp4"));
    ASSERT_EQ(clip.frames.size(), 24U);
    for (int i = 0; i < 24; ++i)
        EXPECT_NEAR(middleColour(clip.frames[static_cast<std::size_t>(i)].rgb)[1], (4 + i * 8) / 219.0, 0.01) << i;
}

TEST_F(TimingSourceTest, VariableRateIsKeptExactly) {
    SKIP_WITHOUT_FFMPEG();
    // Frame n is shown at n*n/100 s + n/25 s.
    for (const char* name : {"vfr.mp4", "vfr.mkv"}) {
        SCOPED_TRACE(name);
        ffmpeg(fmt::format(
            "-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -vf \"settb=1/100,setpts=N*N+N*4\" -fps_mode passthrough "
            "-enc_time_base 1/100 -video_track_timescale 100 -c:v libx264 -bf 2 -pix_fmt yuv420p {}",
            name));
        const ReadResult clip = readWhole(file(name));
        ASSERT_EQ(clip.frames.size(), 10U);
        for (std::int64_t n = 0; n < 10; ++n) {
            const VideoFrame& frame = clip.frames[static_cast<std::size_t>(n)];
            EXPECT_EQ(frame.time, Rational(n * n + n * 4, 100)) << n;
            if (n < 9) {
                EXPECT_EQ(frame.duration, Rational(2 * n + 5, 100)) << n;
            }
        }
        EXPECT_TRUE(clip.info.video.variableRate);
        EXPECT_EQ(clip.info.video.frameCount, 10);
    }
}

TEST_F(TimingSourceTest, FirstFrameNeedNotBeAtZero) {
    SKIP_WITHOUT_FFMPEG();
    for (const char* name : {"late.mkv", "late.mp4"}) {
        SCOPED_TRACE(name);
        ffmpeg(
            fmt::format("-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -f lavfi -i sine=d=1.6 -filter:v setpts=PTS+1.2/TB "
                        "-fps_mode passthrough -c:v libx264 -bf 2 -pix_fmt yuv420p -c:a flac -strict -2 {}",
                        name));
        const ReadResult clip = readWhole(file(name));
        ASSERT_EQ(clip.frames.size(), 10U);
        EXPECT_EQ(clip.frames[0].time, Rational(6, 5));
        EXPECT_EQ(clip.frames[9].time, Rational(6, 5) + Rational(9, 25));
        EXPECT_EQ(clip.info.video.startTime, Rational(6, 5));
    }
}

TEST_F(TimingSourceTest, EditListCutsFramesOut) {
    SKIP_WITHOUT_FFMPEG();
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=2 -c:v libx264 -g 50 -bf 0 -pix_fmt yuv420p whole.mp4");
    ffmpeg("-ss 0.4 -i whole.mp4 -c copy cut.mp4");
    const ReadResult clip = readWhole(file("cut.mp4"));
    ASSERT_EQ(clip.frames.size(), 40U);
    EXPECT_EQ(clip.info.video.frameCount, 40);
    EXPECT_EQ(clip.frames[0].time, Rational(0));
}

TEST_F(TimingSourceTest, EveryContainerGivesAllFrames) {
    SKIP_WITHOUT_FFMPEG();
    const struct {
        const char* name;
        const char* options;
    } kinds[] = {{"a.avi", "-c:v mpeg4 -bf 2"},
                 {"a.webm", "-c:v libvpx-vp9 -deadline realtime"},
                 {"b.webm", "-c:v libvpx -b:v 200k"},
                 {"a.mkv", "-c:v libx265 -x265-params log-level=none"},
                 {"a.ts", "-c:v libx264 -bf 2"},
                 {"a.gif", ""},
                 {"a.mov", "-c:v prores_ks"},
                 {"a.flv", "-c:v flv"},
                 {"b.mp4", "-c:v libx264 -movflags frag_keyframe+empty_moov"},
                 {"c.mkv", "-c:v libx264 -g 1000 -bf 2"},
                 {"a.h264", "-c:v libx264 -bf 2"},
                 {"a.mpg", "-c:v mpeg2video -bf 2"},
                 {"a.y4m", "-pix_fmt yuv420p"}};
    for (const auto& kind : kinds) {
        SCOPED_TRACE(kind.name);
        ffmpeg(fmt::format("-f lavfi -i testsrc2=s=64x48:r=25:d=1 {} {}", kind.options, kind.name));
        const ReadResult clip = readWhole(file(kind.name));
        EXPECT_EQ(clip.frames.size(), 25U);
        EXPECT_EQ(clip.info.video.frameCount, 25);
        for (std::size_t i = 1; i < clip.frames.size(); ++i)
            EXPECT_NEAR((clip.frames[i].time - clip.frames[i - 1].time).toDouble(), 0.04, 0.0011) << i;
        EXPECT_FALSE(clip.info.video.variableRate);
        EXPECT_NEAR(clip.info.video.averageRate.toDouble(), 25, 0.01);
    }
}

TEST_F(TimingSourceTest, ThreadsDoNotChangeFrames) {
    SKIP_WITHOUT_FFMPEG();
    ffmpeg("-f lavfi -i testsrc2=s=96x80:r=25:d=1 -c:v libx264 -bf 3 -pix_fmt yuv420p a.mp4");
    OpenOptions many;
    many.threads = 3;
    const ReadResult one = readWhole(file("a.mp4")), three = readWhole(file("a.mp4"), many);
    ASSERT_EQ(one.frames.size(), three.frames.size());
    for (std::size_t i = 0; i < one.frames.size(); ++i) {
        EXPECT_EQ(one.frames[i].time, three.frames[i].time);
        EXPECT_EQ(cv::norm(one.frames[i].rgb, three.frames[i].rgb, cv::NORM_INF), 0);
    }
}

}  // namespace reelbrush::media::test
