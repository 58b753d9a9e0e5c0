#pragma once

#include "engine/jobs/job_event.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

namespace reelbrush::jobs {

/// Carries events from the engine thread to whoever watches. Nothing is ever called back with an event: the watcher is
/// woken and drains when it likes. Progress that nobody drained yet is replaced by newer progress of the same job, so
/// that a watcher that sleeps costs no memory; changes of state are never lost. Thread-safe.
class EventQueue {
  public:
    void push(JobEvent event);

    /// All events so far, oldest first.
    std::vector<JobEvent> drain();
    /// The same, but waits up to `timeout` for the first; empty when there was none.
    std::vector<JobEvent> drainWithin(std::chrono::milliseconds timeout);

    /// Called on the pushing thread when the queue goes from empty to not empty; must be quick and must not call this
    /// queue. Empty: nobody is woken.
    void setWakeup(std::function<void()> wakeup);

  private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::vector<JobEvent> events_;
    std::function<void()> wakeup_;
};

}  // namespace reelbrush::jobs
