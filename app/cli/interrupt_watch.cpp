#include "app/cli/interrupt_watch.h"

#include "app/cli/exit_code.h"

#include <unistd.h>

#include <csignal>
#include <utility>

namespace reelbrush::cli {

namespace {

/// Not sent by anybody else; ends the watching thread.
constexpr int kEndWatch = SIGUSR1;

sigset_t watchedSignals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, kEndWatch}) sigaddset(&set, signal);
    return set;
}

}  // namespace

InterruptWatch::InterruptWatch(const CancelToken& token) : token_(token) {
    const sigset_t set = watchedSignals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    // A reader of our output that goes away, or a limit on file sizes, must come back as an error of the write, not end
    // the program with a half file on disk.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    thread_ = std::thread([this] { watch(); });
}

InterruptWatch::~InterruptWatch() {
    pthread_kill(thread_.native_handle(), kEndWatch);
    thread_.join();
}

void InterruptWatch::setBeforeExit(std::function<void()> beforeExit) {
    const std::lock_guard lock(mutex_);
    beforeExit_ = std::move(beforeExit);
}

void InterruptWatch::watch() {
    const sigset_t set = watchedSignals();
    for (int signal = 0; sigwait(&set, &signal) == 0 && signal != kEndWatch;) {
        if (interrupted_.exchange(true)) {
            const std::lock_guard lock(mutex_);
            if (beforeExit_) beforeExit_();
            _exit(kInterrupted);
        }
        token_.cancel();
    }
}

}  // namespace reelbrush::cli
