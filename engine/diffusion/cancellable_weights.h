#pragma once

#include "engine/core/cancel_token.h"
#include "kernels/plan/weight_provider.h"

namespace reelbrush::diffusion {

/// Another provider's weights until the token is cancelled; then every find() fails with Cancelled. So the compiling of
/// a large model stops between layers.
class CancellableWeights final : public kernels::WeightProvider {
  public:
    /// Both must outlive this.
    CancellableWeights(const kernels::WeightProvider& inner, const CancelToken& cancel)
        : inner_(inner), cancel_(cancel) {}

    Result<kernels::WeightView> find(std::string_view name) const override {
        RB_TRY(cancel_.check());
        return inner_.find(name);
    }
    bool contains(std::string_view name) const override { return inner_.contains(name); }

  private:
    const kernels::WeightProvider& inner_;
    const CancelToken& cancel_;
};

}  // namespace reelbrush::diffusion
