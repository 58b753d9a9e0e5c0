#include "engine/weights/lora_merge.h"

#include "engine/weights/lora_update.h"
#include "engine/weights/quoted_name.h"
#include "kernels/cpu/parallel_for.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <set>
#include <utility>

namespace reelbrush::weights {

namespace {

/// Fills values with a stored weight; rows are shared out among the threads.
void copyAsFloat(const kernels::WeightView& view, std::vector<float>& values) {
    values.resize(static_cast<std::size_t>(view.shape.elements()));
    const std::int64_t rows = view.shape.rank() == 0 ? 1 : view.shape[0];
    const std::int64_t rowLength = rows == 0 ? 0 : view.shape.elements() / rows;
    constexpr std::int64_t kGrainValues = 1 << 16;
    const std::int64_t grain = std::max<std::int64_t>(1, kGrainValues / std::max<std::int64_t>(1, rowLength));
    kernels::parallelFor(omp_get_max_threads(), rows, grain, [&](std::int64_t begin, std::int64_t end) {
        kernels::WeightView part = view;
        part.shape = kernels::Shape{end - begin, rowLength};
        part.data = static_cast<const std::byte*>(view.data) +
                    static_cast<std::size_t>(begin * rowLength) * kernels::sizeOf(view.dtype);
        if (part.rowScales) part.rowScales += begin;
        part.toFloat(values.data() + begin * rowLength);
    });
}

Status checkStrength(const LoraUse& use) {
    if (std::isfinite(use.strength) && std::isfinite(use.textStrength.value_or(0))) return {};
    return fail(StatusCode::BadInput,
                fmt::format("the strength of LoRA {} is not a finite number", quotedPath(use.lora->path())));
}

float strengthAt(const LoraUse& use, const LoraPlace& place) {
    const float strength = place.part == "unet" ? use.strength : use.textStrength.value_or(use.strength);
    return strength * use.blockWeights.of(place);
}

}  // namespace

Result<LoraMergedModel> mergeLoras(const LoraTarget& target, std::span<const LoraUse> loras) {
    LoraMergedModel model;
    std::map<std::string, std::shared_ptr<LoraMergedWeights>, std::less<>> parts;
    for (const auto& [name, weights] : target.parts)
        parts[name] = std::shared_ptr<LoraMergedWeights>(new LoraMergedWeights(weights));
    const LoraDictionary dictionary(target.parts);
    for (const LoraUse& use : loras) {
        RB_TRY(checkStrength(use));
        RB_ASSIGN(LoraMatching matching, matchLora(*use.lora, dictionary, target.modelName));
        model.coverage.push_back(std::move(matching.coverage));
        for (const LoraMatch& match : matching.matches) {
            const float strength = strengthAt(use, *match.place);
            if (!std::isfinite(strength))
                return fail(StatusCode::BadInput, fmt::format("the strength and block weights of LoRA {} multiply to "
                                                              "more than any number",
                                                              quotedPath(use.lora->path())));
            if (strength == 0) continue;
            RB_TRY(use.lora->checkFinite(*match.module));
            parts[match.place->part]->add(use, match, strength);
        }
    }
    for (auto& [name, part] : parts) {
        for (const auto& [weight, changes] : part->changes_) part->touchedWeights_.push_back(weight);
        part->coverage_ = model.coverage;
        model.parts[name] = std::move(part);
    }
    return model;
}

Result<std::shared_ptr<const LoraMergedWeights>> LoraMergedWeights::merge(std::shared_ptr<const ListedWeights> unet,
                                                                          std::span<const LoraUse> loras,
                                                                          LoraTarget target) {
    target.parts = {{"unet", std::move(unet)}};
    RB_ASSIGN(LoraMergedModel model, mergeLoras(target, loras));
    return model.parts["unet"];
}

void LoraMergedWeights::add(const LoraUse& use, const LoraMatch& match, float strength) {
    if (match.module->changesWeight())
        changes_[match.place->module + ".weight"].push_back({use.lora, match.module, strength, false});
    if (match.module->changesBias())
        changes_[match.place->module + ".bias"].push_back({use.lora, match.module, strength, true});
}

Result<kernels::WeightView> LoraMergedWeights::find(std::string_view name) const {
    const auto changes = changes_.find(name);
    if (changes == changes_.end()) return pristine_->find(name);
    const std::lock_guard lock(mutex_);
    if (!last_ || last_->name != name) {
        // A layer that some view still holds is left to it; else its memory is used again.
        if (!last_ || last_.use_count() > 1) last_ = std::make_shared<Layer>();
        last_->name.clear();
        RB_TRY(compute(name, changes->second, *last_));
        last_->name = name;
    }
    kernels::WeightView view;
    view.dtype = kernels::DType::F32;
    view.shape = last_->shape;
    view.data = last_->values.data();
    view.owner = last_;
    return view;
}

Status LoraMergedWeights::compute(std::string_view name, const std::vector<Change>& changes, Layer& layer) const {
    RB_ASSIGN(const kernels::WeightView view, pristine_->find(name));
    try {
        layer.shape = view.shape;
        copyAsFloat(view, layer.values);
        std::vector<float> pristine;  // DoRA measures the weight as it was before any LoRA
        if (std::ranges::any_of(changes, [](const Change& change) { return change.module->magnitude() != nullptr; }))
            pristine = layer.values;
        for (const Change& change : changes) {
            if (change.isBias)
                RB_TRY(addBiasUpdate(*change.lora, *change.module, change.strength, layer.values));
            else
                RB_TRY(addWeightUpdate(*change.lora, *change.module, change.strength, pristine, layer.values));
        }
    } catch (const std::bad_alloc&) {
        return fail(StatusCode::OutOfMemory, fmt::format("no memory to merge LoRAs into the weight {} of shape {}",
                                                         quotedName(name), view.shape.toString()));
    }
    return {};
}

void LoraMergedWeights::dropPages() const {
    {
        const std::lock_guard lock(mutex_);
        last_.reset();
    }
    pristine_->dropPages();
    std::set<const LoraFile*> files;
    for (const auto& [weight, changes] : changes_)
        for (const Change& change : changes) files.insert(change.lora.get());
    for (const LoraFile* file : files) file->dropPages();
}

}  // namespace reelbrush::weights
