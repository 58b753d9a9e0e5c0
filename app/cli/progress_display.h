#pragma once

#include "engine/jobs/job_event.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace reelbrush::cli {

/// How far a job has come, on stderr, so that stdout holds nothing but results.
/// TerminalLine: one line of a terminal, written over: stage, frames, frames per second, time left.
/// JsonLines: one JSON object a line, at most two a second: event ("progress"), stage, done, total, unit, and once they
/// are known fps (perSecond for other units than frames) and secondsLeft.
class ProgressDisplay {
  public:
    enum class Form { TerminalLine, JsonLines, None };

    explicit ProgressDisplay(Form form) : form_(form) {}
    /// Ends the line of a terminal.
    ~ProgressDisplay();
    ProgressDisplay(const ProgressDisplay&) = delete;
    ProgressDisplay& operator=(const ProgressDisplay&) = delete;

    void show(const jobs::JobEvent& event);
    /// Wipes the terminal's line, so that other text can follow.
    void clear();

  private:
    using Clock = std::chrono::steady_clock;

    void measure(const jobs::JobEvent& event);
    void showLine(const jobs::JobEvent& event);
    void showJson(const jobs::JobEvent& event);

    const Form form_;
    bool lineShown_ = false;
    std::string lastStage_;
    Clock::time_point lastShown_{};
    /// When the first frame came out: until then the model was warming up.
    Clock::time_point measuredFrom_{};
    std::int64_t framesThen_ = -1;
    double framesPerSecond_ = 0;  // 0: not known yet
};

/// "auto": TerminalLine where stderr is a terminal, else JsonLines. Others: "json", "none". `text` is one of the three.
ProgressDisplay::Form progressForm(const std::string& text);

}  // namespace reelbrush::cli
