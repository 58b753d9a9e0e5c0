#pragma once

#include "engine/core/status.h"

#include <cstdint>
#include <optional>
#include <string>

namespace reelbrush::jobs {

/// Counted from 1 in the order of submission; never used twice within one queue.
using JobId = std::uint64_t;

/// Queued, then Running, then one of the last three, which are final. A job that never ran goes from Queued to
/// Cancelled.
enum class JobState { Queued, Running, Done, Failed, Cancelled };

/// "queued", "running", "done", "failed", "cancelled"
const char* jobStateName(JobState state);
bool isFinal(JobState state);

struct JobProgress {
    std::int64_t done = 0;
    std::int64_t total = 0;  ///< 0: not known
    std::string unit;        ///< "frames"
};

/// What happened to a job: its state changed, or it came further.
struct JobEvent {
    JobId job = 0;
    JobState state = JobState::Queued;
    JobProgress progress;
    std::string stage;           ///< what it does now: "preparing the model", "painting"; may be empty
    std::optional<Error> error;  ///< why it failed or was cancelled; only with those states
};

}  // namespace reelbrush::jobs
