#pragma once

#include "engine/core/cancel_token.h"
#include "engine/weights/listed_weights.h"

#include <cstddef>

namespace reelbrush::diffusion {

/// A model's weights on their way into a plan. What was read of the mapped files is given back every so often, so that
/// a whole model never lies in memory beside its packed form; and once the token is cancelled every find() fails with
/// Cancelled, so that compiling a large model stops between layers. Thread: one at a time.
class StreamedWeights final : public kernels::WeightProvider {
  public:
    /// Both must outlive this.
    StreamedWeights(const weights::ListedWeights& inner, const CancelToken& cancel) : inner_(inner), cancel_(cancel) {}

    Result<kernels::WeightView> find(std::string_view name) const override {
        RB_TRY(cancel_.check());
        if (unreleasedBytes_ > kReleaseBytes) {
            inner_.dropPages();
            unreleasedBytes_ = 0;
        }
        auto view = inner_.find(name);
        if (view) unreleasedBytes_ += static_cast<std::size_t>(view->shape.elements()) * kernels::sizeOf(view->dtype);
        return view;
    }
    bool contains(std::string_view name) const override { return inner_.contains(name); }

  private:
    static constexpr std::size_t kReleaseBytes = std::size_t{64} << 20;

    const weights::ListedWeights& inner_;
    const CancelToken& cancel_;
    mutable std::size_t unreleasedBytes_ = 0;
};

}  // namespace reelbrush::diffusion
