#include "engine/media/frame_decoder.h"
#include "engine/media/packet_scan.h"
#include "tests/engine/media/source_test_kit.h"

#include <fmt/format.h>

#include <opencv2/core.hpp>

namespace reelbrush::media::test {

class RangeSourceTest : public SourceTest {
  protected:
    void expectSubset(const std::string& name, std::int64_t first, std::int64_t last, const ReadResult& whole) const {
        SCOPED_TRACE(fmt::format("{} {}-{}", name, first, last));
        OpenOptions options;
        options.firstFrame = first;
        options.lastFrame = last;
        const ReadResult part = readWhole(file(name), options);
        const auto end =
            last < 0 ? std::ssize(whole.frames) : std::min<std::int64_t>(last + 1, std::ssize(whole.frames));
        ASSERT_EQ(std::ssize(part.frames), end - first);
        for (const VideoFrame& frame : part.frames) {
            const VideoFrame& same = whole.frames.at(static_cast<std::size_t>(frame.index));
            ASSERT_EQ(frame.time, same.time) << frame.index;
            ASSERT_EQ(frame.duration, same.duration) << frame.index;
            ASSERT_EQ(cv::norm(frame.rgb, same.rgb, cv::NORM_INF), 0) << frame.index;
        }
        if (!part.frames.empty()) {
            EXPECT_EQ(part.frames.front().index, first);
        }
    }
};

TEST_F(RangeSourceTest, GivesWhatAFullReadGives) {
    SKIP_WITHOUT_FFMPEG();
    const struct {
        const char* name;
        const char* codec;
    } kinds[] = {{"closed.mp4", "-c:v libx264 -g 12 -bf 3"},
                 {"open.mkv", "-c:v libx264 -g 12 -bf 3 -x264-params open-gop=1"},
                 {"open.mp4", "-c:v libx265 -x265-params keyint=12:bframes=3:open-gop=1:log-level=none"},
                 {"refresh.mkv", "-c:v libx264 -g 12 -x264-params intra-refresh=1:bframes=0"},
                 {"long.mp4", "-c:v libx264 -g 1000 -bf 2"},
                 {"a.webm", "-c:v libvpx-vp9 -g 10 -deadline realtime"},
                 {"b.webm", "-c:v libvpx -g 10 -auto-alt-ref 1 -lag-in-frames 8 -b:v 100k"},
                 {"a.avi", "-c:v mpeg4 -g 12 -bf 2"},
                 {"a.ts", "-c:v libx264 -g 12 -bf 3"},
                 {"a.mov", "-c:v prores_ks"},
                 {"a.gif", ""}};
    for (const auto& kind : kinds) {
        ffmpeg(fmt::format("-f lavfi -i testsrc2=s=64x48:r=25:d=2.4 {} {} {}", kind.codec,
                           std::string(kind.name) == "a.gif" ? "" : "-pix_fmt yuv420p", kind.name));
        SCOPED_TRACE(kind.name);
        const ReadResult whole = readWhole(file(kind.name));
        ASSERT_EQ(whole.frames.size(), 60U);
        expectSubset(kind.name, 0, 4, whole);
        expectSubset(kind.name, 5, 5, whole);
        expectSubset(kind.name, 24, 30, whole);
        expectSubset(kind.name, 41, -1, whole);
        expectSubset(kind.name, 59, 200, whole);
    }
}

TEST_F(RangeSourceTest, KeepsTimesOfVariableRate) {
    SKIP_WITHOUT_FFMPEG();
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=2 -vf \"settb=1/1000,setpts=N*N+N*40\" -fps_mode passthrough "
        "-enc_time_base 1/1000 -c:v libx264 -g 10 -bf 2 -pix_fmt yuv420p vfr.mp4");
    const ReadResult whole = readWhole(file("vfr.mp4"));
    expectSubset("vfr.mp4", 33, 40, whole);
}

TEST_F(RangeSourceTest, JumpsToTheKeyframe) {
    SKIP_WITHOUT_FFMPEG();
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=4 -c:v libx264 -g 10 -bf 2 -pix_fmt yuv420p a.mp4");
    const auto point = findSeekPoint(file("a.mp4"), 57);
    ASSERT_TRUE(point && *point);
    EXPECT_EQ((*point)->index, 50);
    EXPECT_FALSE(*findSeekPoint(file("a.mp4"), 7));
}

TEST_F(RangeSourceTest, RefusesRangesThatHoldNothing) {
    SKIP_WITHOUT_FFMPEG();
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -c:v libx264 -pix_fmt yuv420p a.mp4");
    OpenOptions options;
    options.firstFrame = 10;
    const ReadResult beyond = readAll(file("a.mp4"), options);
    EXPECT_EQ(beyond.error.code, StatusCode::BadInput);
    EXPECT_NE(beyond.error.message.find("has 10 frames"), std::string::npos) << beyond.error.message;
    options.firstFrame = 5;
    options.lastFrame = 3;
    EXPECT_EQ(readAll(file("a.mp4"), options).error.code, StatusCode::BadInput);
    options.firstFrame = -1;
    EXPECT_EQ(readAll(file("a.mp4"), options).error.code, StatusCode::BadInput);
}

}  // namespace reelbrush::media::test
