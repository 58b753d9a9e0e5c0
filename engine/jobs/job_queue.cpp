#include "engine/jobs/job_queue.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>
#include <vector>

namespace reelbrush::jobs {

struct JobQueue::Job {
    JobId id = 0;
    JobKind kind = JobKind::Export;
    std::function<Status(JobContext&)> work;
    CancelToken cancel;
    JobProgress progress;  // engine thread only
    // Guarded by the queue's mutex.
    JobState state = JobState::Queued;
    Status outcome;
};

class JobQueue::Context : public JobContext {
  public:
    Context(EventQueue& events, Job& job) : events_(events), job_(job) {}
    const CancelToken& cancel() const override { return job_.cancel; }
    void report(JobProgress progress, std::string stage) override {
        job_.progress = progress;
        events_.push({job_.id, JobState::Running, std::move(progress), std::move(stage), std::nullopt});
    }

  private:
    EventQueue& events_;
    Job& job_;
};

JobQueue::JobQueue(EventQueue& events, const CancelToken& application, std::function<void()> release)
    : events_(events), token_(application.child()), release_(std::move(release)), engine_([this] { run(); }) {}

JobQueue::~JobQueue() {
    shutdown();
}

Result<JobId> JobQueue::submit(JobRequest request) {
    auto job = std::make_shared<Job>();
    std::vector<std::shared_ptr<Job>> replaced;
    {
        const std::lock_guard lock(mutex_);
        if (refusing_) return fail(StatusCode::Cancelled, "the engine is shutting down and takes no more jobs");
        job->id = ++lastId_;
        job->kind = request.kind;
        job->work = std::move(request.work);
        job->cancel = token_.child();
        if (job->kind == JobKind::Preview) {
            const auto older = std::stable_partition(waiting_.begin(), waiting_.end(),
                                                     [](const auto& w) { return w->kind != JobKind::Preview; });
            replaced.assign(older, waiting_.end());
            waiting_.erase(older, waiting_.end());
        }
        jobs_.emplace(job->id, job);
        waiting_.push_back(job);
        // Told under the lock, so that it comes before what the engine thread tells of the job.
        events_.push({job->id, JobState::Queued, {}, {}, std::nullopt});
    }
    for (const auto& old : replaced) finish(old, fail(StatusCode::Cancelled, "replaced by a newer preview"));
    changed_.notify_all();
    return job->id;
}

void JobQueue::cancel(JobId id) {
    std::shared_ptr<Job> dropped;
    {
        const std::lock_guard lock(mutex_);
        const auto found = jobs_.find(id);
        if (found == jobs_.end()) return;
        found->second->cancel.cancel();
        const auto place = std::find(waiting_.begin(), waiting_.end(), found->second);
        if (place == waiting_.end()) return;
        dropped = *place;
        waiting_.erase(place);
    }
    finish(dropped, fail(StatusCode::Cancelled, "cancelled before it began"));
}

Status JobQueue::wait(JobId id) {
    std::unique_lock lock(mutex_);
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return fail(StatusCode::BadInput, "there is no job with number " + std::to_string(id));
    const std::shared_ptr<Job> job = found->second;
    changed_.wait(lock, [&] { return isFinal(job->state); });
    return job->outcome;
}

void JobQueue::shutdown() {
    std::call_once(shutdownOnce_, [this] {
        std::deque<std::shared_ptr<Job>> dropped;
        {
            const std::lock_guard lock(mutex_);
            refusing_ = true;
            token_.cancel();
            dropped.swap(waiting_);
        }
        changed_.notify_all();
        for (const auto& job : dropped) finish(job, fail(StatusCode::Cancelled, "cancelled before it began"));
        engine_.join();
        if (release_) release_();
    });
}

void JobQueue::run() {
    for (;;) {
        std::shared_ptr<Job> job;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return refusing_ || !waiting_.empty(); });
            if (waiting_.empty()) return;
            job = waiting_.front();
            waiting_.pop_front();
            job->state = JobState::Running;
            events_.push({job->id, JobState::Running, {}, {}, std::nullopt});
        }
        runOne(job);
    }
}

void JobQueue::runOne(const std::shared_ptr<Job>& job) {
    Status status;
    Context context(events_, *job);
    try {
        status = job->cancel.check();
        if (status) status = job->work(context);
    } catch (const std::bad_alloc&) {
        status = fail(StatusCode::OutOfMemory, "not enough memory; use a smaller size");
    } catch (const std::exception& exception) {
        status = fail(StatusCode::Internal, std::string("internal error: ") + exception.what());
    }
    finish(job, std::move(status));
}

void JobQueue::finish(const std::shared_ptr<Job>& job, Status status) {
    job->work = nullptr;  // frees what the request held before anybody learns that the job is over
    JobEvent event{job->id, JobState::Done, job->progress, {}, std::nullopt};
    if (!status) {
        event.state = status.error().code == StatusCode::Cancelled ? JobState::Cancelled : JobState::Failed;
        event.error = status.error();
    }
    {
        const std::lock_guard lock(mutex_);
        job->state = event.state;
        job->outcome = std::move(status);
        events_.push(std::move(event));
    }
    changed_.notify_all();
}

}  // namespace reelbrush::jobs
