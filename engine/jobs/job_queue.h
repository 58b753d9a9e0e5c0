#pragma once

#include "engine/core/cancel_token.h"
#include "engine/core/status.h"
#include "engine/jobs/event_queue.h"
#include "engine/jobs/job_event.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace reelbrush::jobs {

/// What a job may ask of the queue while it runs, on the engine thread.
class JobContext {
  public:
    virtual ~JobContext() = default;
    /// Cancelled with the job, or with the queue.
    virtual const CancelToken& cancel() const = 0;
    virtual void report(JobProgress progress, std::string stage) = 0;
};

/// A newer preview replaces one that waits; exports all run, in the order in which they came.
enum class JobKind { Preview, Export };

struct JobRequest {
    JobKind kind = JobKind::Export;
    /// Runs once, on the engine thread. Everything that it needs is held by value: a snapshot of what the user wanted
    /// at that moment. Destroyed on the engine thread after it ran, so that what it holds is released there.
    std::function<Status(JobContext&)> work;
};

/// One engine thread that works off jobs, one at a time. Thread-safe.
///
/// Shutdown goes in this order, and the destructor does it too:
///   1. refuse: submit() fails from now on;
///   2. cancel: the running job's token is cancelled, waiting jobs become Cancelled without having run;
///   3. join: the engine thread comes back, within one denoising step;
///   4. release: `release` is called, and frees what jobs share (models, arenas): no job can use it any more.
class JobQueue {
  public:
    /// application: parent of every job's token. release: step 4 of the shutdown, on the thread that shuts down.
    explicit JobQueue(EventQueue& events, const CancelToken& application = {}, std::function<void()> release = {});
    ~JobQueue();
    JobQueue(const JobQueue&) = delete;
    JobQueue& operator=(const JobQueue&) = delete;

    /// Returns at once. Errors: Cancelled after shutdown began.
    Result<JobId> submit(JobRequest request);

    /// Cancels a job wherever it is; one that is unknown or final stays as it is.
    void cancel(JobId job);

    /// Waits until the job is final and tells how it ended: success, its own error, or Cancelled. May be asked several
    /// times. Errors besides: BadInput for a job that was never submitted. Not on the engine thread.
    Status wait(JobId job);

    void shutdown();

  private:
    struct Job;
    class Context;

    void run();
    void runOne(const std::shared_ptr<Job>& job);
    void finish(const std::shared_ptr<Job>& job, Status status);

    EventQueue& events_;
    const CancelToken token_;
    std::function<void()> release_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<JobId, std::shared_ptr<Job>> jobs_;
    std::deque<std::shared_ptr<Job>> waiting_;
    JobId lastId_ = 0;
    bool refusing_ = false;
    std::once_flag shutdownOnce_;
    std::thread engine_;  // last: it uses all of the above
};

}  // namespace reelbrush::jobs
