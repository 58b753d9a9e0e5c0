#include "engine/jobs/event_queue.h"

#include <algorithm>
#include <utility>

namespace reelbrush::jobs {

void EventQueue::push(JobEvent event) {
    std::function<void()> wakeup;
    {
        const std::lock_guard lock(mutex_);
        // Only the job's last event may be replaced: an older one lies before a change of state.
        const auto last =
            std::find_if(events_.rbegin(), events_.rend(), [&](const JobEvent& e) { return e.job == event.job; });
        if (event.state == JobState::Running && last != events_.rend() && last->state == JobState::Running &&
            last->stage == event.stage) {
            *last = std::move(event);
            return;
        }
        if (events_.empty()) wakeup = wakeup_;
        events_.push_back(std::move(event));
        arrived_.notify_all();
    }
    if (wakeup) wakeup();
}

std::vector<JobEvent> EventQueue::drain() {
    const std::lock_guard lock(mutex_);
    return std::exchange(events_, {});
}

std::vector<JobEvent> EventQueue::drainWithin(std::chrono::milliseconds timeout) {
    std::unique_lock lock(mutex_);
    arrived_.wait_for(lock, timeout, [&] { return !events_.empty(); });
    return std::exchange(events_, {});
}

void EventQueue::setWakeup(std::function<void()> wakeup) {
    const std::lock_guard lock(mutex_);
    wakeup_ = std::move(wakeup);
}

}  // namespace reelbrush::jobs
