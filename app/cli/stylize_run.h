#pragma once

#include "app/cli/console.h"
#include "app/cli/interrupt_watch.h"
#include "app/cli/progress_display.h"
#include "engine/session/session.h"

#include <string>

namespace reelbrush::cli {

/// Submits a request, shows how it comes along, and waits for its end. Errors: as session::Session::wait; Cancelled
/// when the user interrupted.
Result<session::StylizeReport> runToEnd(session::Session& session, session::StylizeRequest request,
                                        ProgressDisplay& display);

/// The line at the end: frames, seconds, frames per second, predicted and measured peak memory.
std::string reportLine(const session::StylizeReport& report);
/// All that the report holds.
Json reportJson(const session::StylizeReport& report);

/// Tells how a job failed: kInterrupted when the user did it, kFailed else.
int tellFailure(const Error& error, const InterruptWatch& interrupts);

}  // namespace reelbrush::cli
