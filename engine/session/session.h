#pragma once

#include "engine/core/cancel_token.h"
#include "engine/core/status.h"
#include "engine/jobs/event_queue.h"
#include "engine/jobs/job_event.h"
#include "engine/session/model_locator.h"
#include "engine/session/painter_shelf.h"
#include "engine/session/stylize_report.h"
#include "engine/session/stylize_request.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

namespace reelbrush::session {

struct SessionOptions {
    /// Cancels everything that this session does.
    CancelToken application;
    /// Where algorithm choices are kept between runs; empty: in the user's cache folder.
    std::filesystem::path algorithmCacheFile;
    PainterFactory painterFactory = diffusion::FramePainter::create;
    ModelLocator locateModel = libraryLocator();
};

/// What every face (command line, window, plug-ins) works with: requests in, ids at once, events out. Owns the engine
/// thread and, through it, the model and its memory. Thread-safe.
class Session {
  public:
    explicit Session(SessionOptions options = {});
    /// Shuts down: see jobs::JobQueue.
    ~Session();

    /// Submits a restyling. Errors: Cancelled after shutdown began. Everything else is told when the job ends.
    Result<jobs::JobId> stylize(StylizeRequest request);

    /// Within one denoising step; nothing is left of the output.
    void cancel(jobs::JobId job);

    /// Waits for the end. Errors: how the job failed; BadInput for an unknown job.
    Result<StylizeReport> wait(jobs::JobId job);

    /// See jobs::EventQueue.
    std::vector<jobs::JobEvent> drainEvents();
    std::vector<jobs::JobEvent> drainEventsWithin(std::chrono::milliseconds timeout);
    void setWakeup(std::function<void()> wakeup);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace reelbrush::session
