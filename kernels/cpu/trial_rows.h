#pragma once

#include "kernels/plan/step.h"

#include <optional>
#include <vector>

namespace reelbrush::kernels {

/// The first rows of a large image: enough to tell which algorithm is the faster, for a part of the time and of the
/// memory that the whole image would take.
class TrialRows {
  public:
    /// request: of a Conv2d. Nothing where the whole image is small enough.
    static std::optional<TrialRows> of(const StepRequest& request);
    /// The same layer of fewer rows and one sample. Valid as long as this and `whole`.
    StepRequest request(const StepRequest& whole) const { return {whole.node, inputs_, output_, whole.weights}; }

  private:
    std::vector<Shape> inputs_;
    Shape output_;
};

}  // namespace reelbrush::kernels
