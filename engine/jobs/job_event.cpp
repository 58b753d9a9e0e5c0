#include "engine/jobs/job_event.h"

namespace reelbrush::jobs {

const char* jobStateName(JobState state) {
    switch (state) {
        case JobState::Queued:
            return "queued";
        case JobState::Running:
            return "running";
        case JobState::Done:
            return "done";
        case JobState::Failed:
            return "failed";
        case JobState::Cancelled:
            return "cancelled";
    }
    return "unknown";
}

bool isFinal(JobState state) {
    return state == JobState::Done || state == JobState::Failed || state == JobState::Cancelled;
}

}  // namespace reelbrush::jobs
