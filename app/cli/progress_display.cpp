#include "app/cli/progress_display.h"

#include "app/cli/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace reelbrush::cli {

namespace {

constexpr std::chrono::milliseconds kJsonInterval{500};
constexpr const char* kWipeLine = "\r\x1b[K";

bool isFrames(const jobs::JobProgress& progress) {
    return progress.unit == "frames";
}

double secondsLeft(const jobs::JobProgress& progress, double framesPerSecond) {
    return static_cast<double>(progress.total - progress.done) / framesPerSecond;
}

}  // namespace

ProgressDisplay::~ProgressDisplay() {
    clear();
}

void ProgressDisplay::clear() {
    if (!lineShown_) return;
    std::fputs(kWipeLine, stderr);
    lineShown_ = false;
}

void ProgressDisplay::show(const jobs::JobEvent& event) {
    if (event.state != jobs::JobState::Running || event.stage.empty()) return;
    measure(event);
    if (form_ == Form::TerminalLine) showLine(event);
    if (form_ == Form::JsonLines) showJson(event);
}

void ProgressDisplay::measure(const jobs::JobEvent& event) {
    const auto now = Clock::now();
    if (event.progress.done < 1) return;
    if (framesThen_ < 0) {
        framesThen_ = event.progress.done;
        measuredFrom_ = now;
    }
    const double seconds = std::chrono::duration<double>(now - measuredFrom_).count();
    const std::int64_t frames = event.progress.done - framesThen_;
    if (frames > 0 && seconds > 0) framesPerSecond_ = static_cast<double>(frames) / seconds;
}

void ProgressDisplay::showLine(const jobs::JobEvent& event) {
    const jobs::JobProgress& progress = event.progress;
    std::string line = event.stage;
    if (progress.done > 0 || event.stage == "painting") {
        line += fmt::format(": {}/{} {}", progress.done, progress.total > 0 ? std::to_string(progress.total) : "?",
                            progress.unit);
        if (framesPerSecond_ > 0)
            line += fmt::format(", {:.{}f} {}, {} left", framesPerSecond_, isFrames(progress) ? 2 : 0,
                                isFrames(progress) ? "fps" : progress.unit + "/s",
                                clockText(secondsLeft(progress, framesPerSecond_)));
    }
    std::fprintf(stderr, "%s%s", kWipeLine, line.c_str());
    std::fflush(stderr);
    lineShown_ = true;
}

void ProgressDisplay::showJson(const jobs::JobEvent& event) {
    const auto now = Clock::now();
    const jobs::JobProgress& progress = event.progress;
    const bool last = progress.total > 0 && progress.done >= progress.total;
    if (event.stage == lastStage_ && !last && now - lastShown_ < kJsonInterval) return;
    lastStage_ = event.stage;
    lastShown_ = now;
    Json line{{"event", "progress"},
              {"stage", event.stage},
              {"done", progress.done},
              {"total", progress.total},
              {"unit", progress.unit}};
    if (framesPerSecond_ > 0) {
        line[isFrames(progress) ? "fps" : "perSecond"] = framesPerSecond_;
        line["secondsLeft"] = std::max(0.0, secondsLeft(progress, framesPerSecond_));
    }
    std::fprintf(stderr, "%s\n", line.dump().c_str());
    std::fflush(stderr);
}

ProgressDisplay::Form progressForm(const std::string& text) {
    if (text == "none") return ProgressDisplay::Form::None;
    if (text == "json") return ProgressDisplay::Form::JsonLines;
    return isatty(STDERR_FILENO) ? ProgressDisplay::Form::TerminalLine : ProgressDisplay::Form::JsonLines;
}

}  // namespace reelbrush::cli
