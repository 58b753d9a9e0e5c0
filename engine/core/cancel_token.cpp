#include "engine/core/cancel_token.h"

namespace reelbrush {

struct CancelToken::State {
    std::atomic<bool> cancelled{false};
    std::shared_ptr<State> parent;
};

CancelToken::CancelToken() : state_(std::make_shared<State>()) {}

CancelToken CancelToken::child() const {
    CancelToken token;
    token.state_->parent = state_;
    return token;
}

void CancelToken::cancel() const {
    state_->cancelled.store(true, std::memory_order_relaxed);
}

bool CancelToken::isCancelled() const {
    for (const State* state = state_.get(); state; state = state->parent.get())
        if (state->cancelled.load(std::memory_order_relaxed)) return true;
    return false;
}

Status CancelToken::check() const {
    if (isCancelled()) return fail(StatusCode::Cancelled, "cancelled");
    return {};
}

}  // namespace reelbrush
