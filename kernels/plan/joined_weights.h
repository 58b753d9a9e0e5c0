#pragma once

#include "kernels/plan/weight_provider.h"

#include <utility>
#include <vector>

namespace reelbrush::kernels {

/// Several providers seen as one: a model and what is added to it (IP-Adapter, motion module), for one graph that uses
/// all of them. The first provider that has a name gives it.
class JoinedWeights final : public WeightProvider {
  public:
    /// None is null; all must outlive this.
    explicit JoinedWeights(std::vector<const WeightProvider*> providers) : providers_(std::move(providers)) {}

    /// Errors: as the provider that has the name; BadInput where none has it.
    Result<WeightView> find(std::string_view name) const override;
    bool contains(std::string_view name) const override;

  private:
    std::vector<const WeightProvider*> providers_;
};

}  // namespace reelbrush::kernels
