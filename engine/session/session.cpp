#include "engine/session/session.h"

#include "engine/core/xdg_folders.h"
#include "engine/jobs/job_queue.h"
#include "engine/session/stylize_job.h"

#include <map>
#include <mutex>
#include <string>

namespace reelbrush::session {

struct Session::Impl {
    explicit Impl(SessionOptions given)
        : algorithmCacheFile(given.algorithmCacheFile.empty() ? cacheFolder() / "algorithms.json"
                                                              : given.algorithmCacheFile),
          painters(std::move(given.painterFactory)),
          locateModel(std::move(given.locateModel)),
          queue(events, given.application, [this] { painters.clear(); }) {}

    const std::filesystem::path algorithmCacheFile;
    PainterShelf painters;
    const ModelLocator locateModel;
    jobs::EventQueue events;
    std::mutex reportsMutex;
    std::map<jobs::JobId, std::shared_ptr<StylizeReport>> reports;
    jobs::JobQueue queue;  // last: its thread uses all of the above
};

Session::Session(SessionOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}

Session::~Session() = default;

Result<jobs::JobId> Session::stylize(StylizeRequest request) {
    auto report = std::make_shared<StylizeReport>();
    jobs::JobRequest job;
    job.work = [impl = impl_.get(), request = std::move(request), report](jobs::JobContext& context) -> Status {
        RB_ASSIGN(*report,
                  runStylizeJob(request, {impl->painters, impl->locateModel, impl->algorithmCacheFile}, context));
        return {};
    };
    RB_ASSIGN(const jobs::JobId id, impl_->queue.submit(std::move(job)));
    const std::lock_guard lock(impl_->reportsMutex);
    impl_->reports.emplace(id, std::move(report));
    return id;
}

void Session::cancel(jobs::JobId job) {
    impl_->queue.cancel(job);
}

Result<StylizeReport> Session::wait(jobs::JobId job) {
    std::shared_ptr<StylizeReport> report;
    {
        const std::lock_guard lock(impl_->reportsMutex);
        const auto found = impl_->reports.find(job);
        if (found == impl_->reports.end())
            return fail(StatusCode::BadInput, "there is no job with number " + std::to_string(job));
        report = found->second;
    }
    RB_TRY(impl_->queue.wait(job));
    return *report;
}

std::vector<jobs::JobEvent> Session::drainEvents() {
    return impl_->events.drain();
}

std::vector<jobs::JobEvent> Session::drainEventsWithin(std::chrono::milliseconds timeout) {
    return impl_->events.drainWithin(timeout);
}

void Session::setWakeup(std::function<void()> wakeup) {
    impl_->events.setWakeup(std::move(wakeup));
}

}  // namespace reelbrush::session
