#include "kernels/plan/joined_weights.h"

#include <fmt/format.h>

#include <algorithm>

namespace reelbrush::kernels {

Result<WeightView> JoinedWeights::find(std::string_view name) const {
    for (const WeightProvider* provider : providers_)
        if (provider->contains(name)) return provider->find(name);
    // A single provider words it best, and knows its file.
    if (providers_.size() == 1) return providers_[0]->find(name);
    return fail(StatusCode::BadInput, fmt::format("no file of the model holds the weight '{}'", name));
}

bool JoinedWeights::contains(std::string_view name) const {
    return std::ranges::any_of(providers_, [name](const WeightProvider* provider) { return provider->contains(name); });
}

}  // namespace reelbrush::kernels
