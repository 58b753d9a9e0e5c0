#pragma once

#include "kernels/plan/step.h"

namespace reelbrush::kernels {

/// A step that only remembers where its buffers are.
class BoundStep : public Step {
  public:
    void bind(const StepBuffers& buffers) override { buffers_ = buffers; }

  protected:
    StepBuffers buffers_;
};

}  // namespace reelbrush::kernels
