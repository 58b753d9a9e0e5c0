#include "app/cli/stylize_run.h"

#include "app/cli/exit_code.h"

#include <fmt/format.h>

#include <chrono>

namespace reelbrush::cli {

namespace {

constexpr std::chrono::milliseconds kEventWait{100};

}  // namespace

Result<session::StylizeReport> runToEnd(session::Session& session, session::StylizeRequest request,
                                        ProgressDisplay& display) {
    RB_ASSIGN(const jobs::JobId job, session.stylize(std::move(request)));
    for (bool ended = false; !ended;) {
        for (const jobs::JobEvent& event : session.drainEventsWithin(kEventWait)) {
            if (event.job != job) continue;
            display.show(event);
            ended = jobs::isFinal(event.state);
        }
    }
    display.clear();
    return session.wait(job);
}

std::string reportLine(const session::StylizeReport& report) {
    return fmt::format("{}: {} frame{} of {}x{} in {:.1f} s, {:.2f} fps on the {}, peak memory {} (predicted {})",
                       report.output.string(), report.frames, report.frames == 1 ? "" : "s", report.size.width,
                       report.size.height, report.seconds, report.framesPerSecond(), report.device,
                       bytesText(static_cast<double>(report.measuredPeakBytes)),
                       bytesText(static_cast<double>(report.forecast.totalBytes())));
}

Json reportJson(const session::StylizeReport& report) {
    const render::MemoryForecast& forecast = report.forecast;
    const Json memory = session::toJson(report.memory);
    return {{"output", report.output.string()},
            {"style", report.style},
            {"device", report.device},
            {"width", report.size.width},
            {"height", report.size.height},
            {"frames", report.frames},
            {"shots", report.shots},
            {"seconds", report.seconds},
            {"prepareSeconds", report.prepareSeconds},
            {"fps", report.framesPerSecond()},
            {"bytesWritten", report.bytesWritten},
            {"predictedPeakBytes", forecast.totalBytes()},
            {"measuredPeakBytes", report.measuredPeakBytes},
            {"memory",
             {{"baseBytes", forecast.baseBytes},
              {"weightBytes", forecast.weightBytes},
              {"mergeBytes", forecast.mergeBytes},
              {"arenaBytes", forecast.arenaBytes},
              {"residentArenaBytes", report.residentArenaBytes},
              {"frameBytes", forecast.frameBytes},
              {"codecBytes", forecast.codecBytes}}},
            {"memoryHolders", memory["holders"]},
            {"memoryGrowth", memory["growth"]},
            {"loras", report.loras},
            {"notes", report.notes}};
}

int tellFailure(const Error& error, const InterruptWatch& interrupts) {
    if (!interrupts.interrupted()) return failWith(error);
    printError("interrupted; nothing was written");
    return kInterrupted;
}

}  // namespace reelbrush::cli
