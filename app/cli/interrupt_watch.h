#pragma once

#include "engine/core/cancel_token.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

namespace reelbrush::cli {

/// Ctrl+C and its relatives (SIGINT, SIGTERM, SIGHUP): the first one cancels the token, so that the program ends in
/// order; the second one ends it at once, with exit code 130, after `beforeExit`.
/// A thread of its own waits for them, so that nothing runs inside a signal handler. Make it on the main thread before
/// any other thread is started: threads inherit that these signals are blocked.
class InterruptWatch {
  public:
    explicit InterruptWatch(const CancelToken& token);
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;

    bool interrupted() const { return interrupted_.load(); }
    const CancelToken& token() const { return token_; }
    /// What the second signal does before the end: removing what is half written. Runs on the watching thread.
    void setBeforeExit(std::function<void()> beforeExit);

  private:
    void watch();

    const CancelToken token_;
    std::atomic<bool> interrupted_{false};
    std::mutex mutex_;
    std::function<void()> beforeExit_;
    std::thread thread_;  // last: it uses all of the above
};

}  // namespace reelbrush::cli
