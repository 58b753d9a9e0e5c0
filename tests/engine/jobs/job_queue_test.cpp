#include "engine/jobs/job_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace reelbrush::jobs {
namespace {

JobRequest exportOf(std::function<Status(JobContext&)> work) {
    return {JobKind::Export, std::move(work)};
}
JobRequest previewOf(std::function<Status(JobContext&)> work) {
    return {JobKind::Preview, std::move(work)};
}

/// Keeps the engine thread busy until let go.
struct Blocker {
    std::promise<void> begun, let;
    JobRequest request() {
        return exportOf([this](JobContext&) -> Status {
            begun.set_value();
            let.get_future().wait();
            return {};
        });
    }
};

std::vector<JobState> statesOf(const std::vector<JobEvent>& events, JobId job) {
    std::vector<JobState> states;
    for (const JobEvent& event : events)
        if (event.job == job && (states.empty() || states.back() != event.state)) states.push_back(event.state);
    return states;
}

TEST(JobQueue, RunsJobsInOrderOnOneThread) {
    EventQueue events;
    JobQueue queue(events);
    std::vector<int> order;
    std::vector<std::thread::id> threads;
    std::vector<JobId> ids;
    for (int i = 0; i < 5; ++i) {
        const auto id = queue.submit(exportOf([&, i](JobContext&) -> Status {
            order.push_back(i);
            threads.push_back(std::this_thread::get_id());
            return {};
        }));
        ASSERT_TRUE(id);
        ids.push_back(*id);
    }
    for (const JobId id : ids) EXPECT_TRUE(queue.wait(id));
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
    for (const auto& thread : threads) {
        EXPECT_EQ(thread, threads.front());
        EXPECT_NE(thread, std::this_thread::get_id());
    }
    const auto seen = events.drain();
    for (const JobId id : ids)
        EXPECT_EQ(statesOf(seen, id), (std::vector{JobState::Queued, JobState::Running, JobState::Done}));
}

TEST(JobQueue, ReportsProgressAndFailure) {
    EventQueue events;
    JobQueue queue(events);
    const auto id = queue.submit(exportOf([](JobContext& context) -> Status {
        context.report({3, 10, "frames"}, "painting");
        return fail(StatusCode::Io, "the disk is full");
    }));
    ASSERT_TRUE(id);
    const Status status = queue.wait(*id);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().message, "the disk is full");
    EXPECT_FALSE(queue.wait(*id)) << "asked a second time";
    const auto seen = events.drain();
    const JobEvent& last = seen.back();
    EXPECT_EQ(last.state, JobState::Failed);
    ASSERT_TRUE(last.error);
    EXPECT_EQ(last.error->code, StatusCode::Io);
    EXPECT_EQ(last.progress.done, 3);
    EXPECT_EQ(seen[seen.size() - 2].stage, "painting");
}

TEST(JobQueue, ExceptionsEndTheJobNotTheThread) {
    EventQueue events;
    JobQueue queue(events);
    const auto first = queue.submit(exportOf([](JobContext&) -> Status { throw std::runtime_error("boom"); }));
    const auto second = queue.submit(exportOf([](JobContext&) -> Status { throw std::bad_alloc(); }));
    const auto third = queue.submit(exportOf([](JobContext&) -> Status { return {}; }));
    EXPECT_EQ(queue.wait(*first).error().code, StatusCode::Internal);
    EXPECT_EQ(queue.wait(*second).error().code, StatusCode::OutOfMemory);
    EXPECT_TRUE(queue.wait(*third));
}

TEST(JobQueue, ANewerPreviewReplacesAWaitingOneButNoExport) {
    EventQueue events;
    JobQueue queue(events);
    Blocker blocker;
    ASSERT_TRUE(queue.submit(blocker.request()));
    blocker.begun.get_future().wait();

    std::vector<std::string> ran;
    const auto job = [&](std::string name) {
        return [&ran, name](JobContext&) -> Status {
            ran.push_back(name);
            return {};
        };
    };
    const auto oldPreview = queue.submit(previewOf(job("old preview")));
    const auto export1 = queue.submit(exportOf(job("export 1")));
    const auto export2 = queue.submit(exportOf(job("export 2")));
    const auto newPreview = queue.submit(previewOf(job("new preview")));
    const Status replaced = queue.wait(*oldPreview);
    ASSERT_FALSE(replaced);
    EXPECT_EQ(replaced.error().code, StatusCode::Cancelled);

    blocker.let.set_value();
    EXPECT_TRUE(queue.wait(*export1));
    EXPECT_TRUE(queue.wait(*export2));
    EXPECT_TRUE(queue.wait(*newPreview));
    EXPECT_EQ(ran, (std::vector<std::string>{"export 1", "export 2", "new preview"}));
    EXPECT_EQ(statesOf(events.drain(), *oldPreview), (std::vector{JobState::Queued, JobState::Cancelled}));
}

TEST(JobQueue, CancelsARunningJob) {
    EventQueue events;
    JobQueue queue(events);
    std::promise<void> begun;
    const auto id = queue.submit(exportOf([&](JobContext& context) -> Status {
        begun.set_value();
        while (!context.cancel().isCancelled()) std::this_thread::yield();
        return context.cancel().check();
    }));
    begun.get_future().wait();
    queue.cancel(*id);
    EXPECT_EQ(queue.wait(*id).error().code, StatusCode::Cancelled);
    EXPECT_EQ(events.drain().back().state, JobState::Cancelled);
}

TEST(JobQueue, CancelsAWaitingJobWithoutRunningIt) {
    EventQueue events;
    JobQueue queue(events);
    Blocker blocker;
    ASSERT_TRUE(queue.submit(blocker.request()));
    std::atomic<bool> ran{false};
    const auto id = queue.submit(exportOf([&](JobContext&) -> Status {
        ran = true;
        return {};
    }));
    queue.cancel(*id);
    EXPECT_EQ(queue.wait(*id).error().code, StatusCode::Cancelled);
    blocker.let.set_value();
    queue.shutdown();
    EXPECT_FALSE(ran);
}

TEST(JobQueue, TheApplicationsTokenCancelsItsJobs) {
    EventQueue events;
    const CancelToken application;
    JobQueue queue(events, application);
    const auto id = queue.submit(exportOf([](JobContext& context) -> Status {
        while (!context.cancel().isCancelled()) std::this_thread::yield();
        return context.cancel().check();
    }));
    application.cancel();
    EXPECT_EQ(queue.wait(*id).error().code, StatusCode::Cancelled);
}

TEST(JobQueue, UnknownJobsAreNotWaitedFor) {
    EventQueue events;
    JobQueue queue(events);
    queue.cancel(77);
    ASSERT_FALSE(queue.wait(77));
    EXPECT_EQ(queue.wait(77).error().code, StatusCode::BadInput);
}

/// Refuse, cancel, join, release.
TEST(JobQueue, ShutsDownInOrder) {
    std::vector<std::string> log;
    EventQueue events;
    std::promise<void> begun;
    auto held = std::make_shared<int>(1);
    const std::weak_ptr<int> snapshot = held;
    {
        JobQueue queue(events, {}, [&] {
            EXPECT_TRUE(snapshot.expired()) << "what a job holds goes before what jobs share";
            log.push_back("release");
        });
        const auto running = queue.submit(exportOf([&, kept = std::move(held)](JobContext& context) -> Status {
            begun.set_value();
            while (!context.cancel().isCancelled()) std::this_thread::yield();
            // The queue refuses before it cancels.
            const auto late = queue.submit(exportOf([](JobContext&) -> Status { return {}; }));
            log.push_back(late ? "accepted" : "refused");
            log.push_back("cancelled");
            return context.cancel().check();
        }));
        const auto waiting = queue.submit(exportOf([&](JobContext&) -> Status {
            log.push_back("never");
            return {};
        }));
        begun.get_future().wait();
        queue.shutdown();
        EXPECT_EQ(queue.wait(*running).error().code, StatusCode::Cancelled);
        EXPECT_EQ(queue.wait(*waiting).error().code, StatusCode::Cancelled);
        queue.shutdown();
        EXPECT_FALSE(queue.submit(exportOf([](JobContext&) -> Status { return {}; })));
    }
    EXPECT_EQ(log, (std::vector<std::string>{"refused", "cancelled", "release"}));
}

}  // namespace
}  // namespace reelbrush::jobs
