#include "engine/media/ffmpeg_log.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

extern "C" {
#include <libavutil/log.h>
}

namespace reelbrush::media::test {

TEST(FfmpegLogTest, KeepsTheLastErrorsWithoutRepeats) {
    FfmpegLogCapture log;
    const auto listening = log.listen();
    for (int i = 0; i < 5; ++i) av_log(nullptr, AV_LOG_ERROR, "error %d.\n", i);
    av_log(nullptr, AV_LOG_ERROR, "error 4\n");
    av_log(nullptr, AV_LOG_WARNING, "only a warning\n");
    EXPECT_EQ(log.lastLines(), "error 2; error 3; error 4");
    log.clear();
    EXPECT_EQ(log.lastLines(), "");
}

TEST(FfmpegLogTest, JoinsLinesThatComeInPieces) {
    FfmpegLogCapture log;
    const auto listening = log.listen();
    av_log(nullptr, AV_LOG_ERROR, "half a ");
    av_log(nullptr, AV_LOG_ERROR, "line\n");
    EXPECT_EQ(log.lastLines(), "half a line");
}

TEST(FfmpegLogTest, ThreadsDoNotMix) {
    std::vector<FfmpegLogCapture> logs(4);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < logs.size(); ++i) {
        threads.emplace_back([&logs, i] {
            const auto listening = logs[i].listen();
            for (int n = 0; n < 200; ++n) av_log(nullptr, AV_LOG_ERROR, "thread %d\n", static_cast<int>(i));
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::size_t i = 0; i < logs.size(); ++i) EXPECT_EQ(logs[i].lastLines(), "thread " + std::to_string(i));
}

TEST(FfmpegLogTest, LinesOfUnknownThreadsReachEveryCapture) {
    FfmpegLogCapture one, two;
    av_log(nullptr, AV_LOG_ERROR, "a worker speaks\n");
    EXPECT_EQ(one.lastLines(), "a worker speaks");
    EXPECT_EQ(two.lastLines(), "a worker speaks");
}

}  // namespace reelbrush::media::test
