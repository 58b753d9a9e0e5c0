#pragma once

#include "engine/core/status.h"

#include <atomic>
#include <memory>

namespace reelbrush {

/// Says that work is no longer wanted. Tokens form a tree (application, job, frame): cancelling a parent cancels its
/// children, never the other way round. Copies share one state. Thread-safe; cancel() is async-signal-safe.
class CancelToken {
  public:
    CancelToken();
    CancelToken child() const;
    void cancel() const;
    bool isCancelled() const;
    /// Cancelled when cancelled, success otherwise.
    Status check() const;

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace reelbrush
