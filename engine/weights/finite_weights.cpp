#include "engine/weights/finite_weights.h"

#include "engine/weights/finite_check.h"
#include "engine/weights/layouts/in_file.h"

#include <utility>

namespace reelbrush::weights {

Result<kernels::WeightView> FiniteWeights::find(std::string_view name) const {
    RB_ASSIGN(kernels::WeightView view, inner_->find(name));
    {
        const std::lock_guard lock(mutex_);
        if (sound_.contains(name)) return view;
    }
    RB_TRY(inFile(file_, checkFinite(name, view)));
    const std::lock_guard lock(mutex_);
    sound_.emplace(name);
    return view;
}

std::shared_ptr<const ListedWeights> requireFinite(std::shared_ptr<const ListedWeights> weights,
                                                   const std::filesystem::path& file) {
    return weights ? std::make_shared<FiniteWeights>(std::move(weights), file) : nullptr;
}

}  // namespace reelbrush::weights
