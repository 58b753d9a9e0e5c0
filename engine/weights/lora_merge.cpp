#include "engine/weights/lora_merge.h"

#include "engine/weights/quoted_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

namespace reelbrush::weights {

namespace {

/// weight [out, in] += scale * up [out, rank] @ down [rank, in]; all row-major.
void addLowRank(float* weight, std::span<const float> up, std::span<const float> down, std::size_t rank, float scale) {
    const std::size_t out = up.size() / rank;
    const std::size_t in = down.size() / rank;
    for (std::size_t o = 0; o < out; ++o) {
        float* row = weight + o * in;
        for (std::size_t r = 0; r < rank; ++r) {
            const float share = scale * up[o * rank + r];
            const float* from = down.data() + r * in;
            for (std::size_t i = 0; i < in; ++i) row[i] += share * from[i];
        }
    }
}

}  // namespace

Result<std::shared_ptr<LoraMergedWeights>> LoraMergedWeights::merge(
    std::shared_ptr<const kernels::WeightProvider> pristine, std::span<const LoraUse> loras, const LoraTarget& target) {
    std::shared_ptr<LoraMergedWeights> merged(new LoraMergedWeights(std::move(pristine)));
    for (const LoraUse& use : loras) RB_TRY(merged->add(use, target));
    for (const auto& [name, unused] : merged->merged_) merged->touchedWeights_.push_back(name);
    return merged;
}

Status LoraMergedWeights::add(const LoraUse& use, const LoraTarget& target) {
    if (!std::isfinite(use.strength))
        return fail(StatusCode::BadInput,
                    fmt::format("the strength of LoRA {} is not a finite number", quotedPath(use.lora->path())));
    RB_ASSIGN(LoraMatching matching, matchLora(*use.lora, *pristine_, target));
    coverage_.push_back(std::move(matching.coverage));
    if (use.strength == 0) return {};
    for (const auto& [module, weight] : matching.matches) {
        RB_ASSIGN(MergedWeight * changed, startFrom(weight));
        RB_ASSIGN(const auto up, use.lora->values(*module->up));
        RB_ASSIGN(const auto down, use.lora->values(*module->down));
        addLowRank(changed->values.get(), up, down, static_cast<std::size_t>(module->rank),
                   use.strength * module->factor);
    }
    return {};
}

Result<LoraMergedWeights::MergedWeight*> LoraMergedWeights::startFrom(const std::string& weight) {
    if (const auto found = merged_.find(weight); found != merged_.end()) return &found->second;
    RB_ASSIGN(const kernels::WeightView view, pristine_->find(weight));
    const auto count = static_cast<std::size_t>(view.shape.elements());
    MergedWeight start{view.shape, std::unique_ptr<float[]>(new (std::nothrow) float[count])};
    if (!start.values)
        return fail(StatusCode::OutOfMemory, fmt::format("no memory to merge LoRAs: weight {} needs {} bytes more than "
                                                         "the {} bytes held already",
                                                         quotedName(weight), count * sizeof(float), heldBytes()));
    view.toFloat(start.values.get());
    return &merged_.emplace(weight, std::move(start)).first->second;
}

Result<kernels::WeightView> LoraMergedWeights::find(std::string_view name) const {
    if (!std::ranges::binary_search(touchedWeights_, name)) return pristine_->find(name);
    const auto found = merged_.find(name);
    RB_ENSURE(found != merged_.end(), fmt::format("weight {} was asked for after its merged form was released", name));
    kernels::WeightView view;
    view.dtype = kernels::DType::F32;
    view.shape = found->second.shape;
    view.data = found->second.values.get();
    return view;
}

std::size_t LoraMergedWeights::heldBytes() const {
    std::size_t bytes = 0;
    for (const auto& [name, weight] : merged_)
        bytes += static_cast<std::size_t>(weight.shape.elements()) * sizeof(float);
    return bytes;
}

}  // namespace reelbrush::weights
