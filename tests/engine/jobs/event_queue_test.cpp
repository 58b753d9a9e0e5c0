#include "engine/jobs/event_queue.h"

#include <gtest/gtest.h>

#include <thread>

namespace reelbrush::jobs {
namespace {

JobEvent progressOf(JobId job, std::int64_t done, std::string stage = "painting") {
    return {job, JobState::Running, {done, 10, "frames"}, std::move(stage), std::nullopt};
}

TEST(EventQueue, ReplacesProgressThatNobodyDrained) {
    EventQueue queue;
    queue.push({1, JobState::Running, {}, {}, std::nullopt});
    for (int i = 0; i < 1000; ++i) {
        queue.push(progressOf(1, i));
        queue.push(progressOf(2, i));
    }
    const auto events = queue.drain();
    ASSERT_EQ(events.size(), 3u);
    EXPECT_EQ(events[1].job, 1u);
    EXPECT_EQ(events[1].progress.done, 999);
    EXPECT_EQ(events[2].job, 2u);
    EXPECT_EQ(events[2].progress.done, 999);
    EXPECT_TRUE(queue.drain().empty());
}

TEST(EventQueue, KeepsEveryChangeOfStateAndOfStage) {
    EventQueue queue;
    queue.push({1, JobState::Queued, {}, {}, std::nullopt});
    queue.push(progressOf(1, 1));
    queue.push(progressOf(1, 1, "finishing"));
    queue.push({1, JobState::Done, {}, {}, std::nullopt});
    queue.push(progressOf(1, 2));
    const auto events = queue.drain();
    ASSERT_EQ(events.size(), 5u);
    EXPECT_EQ(events[3].state, JobState::Done);
}

TEST(EventQueue, WakesOnceUntilDrained) {
    EventQueue queue;
    int woken = 0;
    queue.setWakeup([&] { ++woken; });
    queue.push({1, JobState::Queued, {}, {}, std::nullopt});
    queue.push({2, JobState::Queued, {}, {}, std::nullopt});
    EXPECT_EQ(woken, 1);
    EXPECT_EQ(queue.drain().size(), 2u);
    queue.push({3, JobState::Queued, {}, {}, std::nullopt});
    EXPECT_EQ(woken, 2);
}

TEST(EventQueue, WaitsForTheFirstEvent) {
    EventQueue queue;
    EXPECT_TRUE(queue.drainWithin(std::chrono::milliseconds(1)).empty());
    std::jthread pusher([&] { queue.push({5, JobState::Queued, {}, {}, std::nullopt}); });
    const auto events = queue.drainWithin(std::chrono::seconds(20));
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].job, 5u);
}

}  // namespace
}  // namespace reelbrush::jobs
