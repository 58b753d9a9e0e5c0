#pragma once

#include "engine/core/status.h"
#include "kernels/plan/weight_provider.h"

#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::weights {

/// Weights of one model part whose names are known: of a file of its own, or a part of a checkpoint seen under the
/// names of the diffusers layout. Immutable, thread-safe.
class ListedWeights : public kernels::WeightProvider {
  public:
    /// Sorted; the names that find() takes.
    virtual const std::vector<std::string>& names() const = 0;
    /// The shape alone, for which no values have to be looked at. Errors: as find().
    virtual Result<kernels::Shape> shapeOf(std::string_view name) const {
        RB_ASSIGN(const kernels::WeightView view, find(name));
        return view.shape;
    }
    /// Gives pages of mapped files back to the system once the weights are packed; views stay valid.
    virtual void dropPages() const = 0;
};

}  // namespace reelbrush::weights
