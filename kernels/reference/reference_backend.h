#pragma once

#include "kernels/plan/backend.h"

namespace reelbrush::kernels {

/// Every op in plain scalar loops, f32 with double sums: the truth that the fast backends are tested against.
/// Slow on purpose; stays for good.
class ReferenceBackend : public Backend {
  public:
    Result<std::unique_ptr<Step>> prepare(const StepRequest& request) override;
};

}  // namespace reelbrush::kernels
