#pragma once

#include "kernels/plan/step.h"

#include <memory>

namespace reelbrush::kernels {

/// Turns nodes into steps for one device. One implementation per device, and the scalar reference.
class Backend {
  public:
    virtual ~Backend() = default;
    /// Errors: BadInput (weights missing or of the wrong shape, both shapes in the message), OutOfMemory, Unsupported.
    virtual Result<std::unique_ptr<Step>> prepare(const StepRequest& request) = 0;
    /// Called by whatever thread compiles or runs a plan, before it does: sets that thread up (thread count).
    virtual void enter() {}
};

}  // namespace reelbrush::kernels
