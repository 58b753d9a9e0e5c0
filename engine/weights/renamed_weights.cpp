#include "engine/weights/renamed_weights.h"

#include "engine/weights/quoted_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace reelbrush::weights {

namespace {

Result<kernels::WeightView> rowRange(const RenamedWeight& weight, kernels::WeightView view) {
    const std::int64_t rows = view.shape.rank() > 0 ? view.shape[0] : 0;
    if (rows == 0 || rows % weight.parts != 0)
        return fail(StatusCode::BadInput,
                    fmt::format("the fused weight {} has the shape {}, whose rows do not divide into {} parts",
                                quotedName(weight.storedName), view.shape.toString(), weight.parts));
    const std::int64_t count = rows / weight.parts;
    const std::int64_t first = count * weight.part;
    const auto rowBytes = static_cast<std::int64_t>(kernels::sizeOf(view.dtype)) * (view.shape.elements() / rows);
    view.data = static_cast<const std::byte*>(view.data) + first * rowBytes;
    if (view.rowScales) view.rowScales += first;
    std::vector<std::int64_t> dims(view.shape.dims().begin(), view.shape.dims().end());
    dims[0] = count;
    view.shape = kernels::Shape(std::span<const std::int64_t>(dims));
    return view;
}

}  // namespace

Result<std::shared_ptr<const RenamedWeights>> RenamedWeights::make(
    std::vector<std::shared_ptr<const ListedWeights>> sources, std::vector<RenamedWeight> weights) {
    std::shared_ptr<RenamedWeights> renamed(new RenamedWeights());
    std::ranges::sort(weights, {}, &RenamedWeight::name);
    const auto twice = std::ranges::adjacent_find(weights, {}, &RenamedWeight::name);
    if (twice != weights.end())
        return fail(StatusCode::BadInput,
                    fmt::format("the tensors {} and {} both claim to be the weight {}", quotedName(twice->storedName),
                                quotedName((twice + 1)->storedName), quotedName(twice->name)));
    for (const RenamedWeight& weight : weights) {
        RB_ENSURE(weight.source < sources.size(), "a renamed weight has no source");
        if (!sources[weight.source]->contains(weight.storedName))
            return fail(StatusCode::BadInput, fmt::format("there is no tensor {}", quotedName(weight.storedName)));
        renamed->names_.push_back(weight.name);
    }
    renamed->sources_ = std::move(sources);
    renamed->weights_ = std::move(weights);
    return std::shared_ptr<const RenamedWeights>(std::move(renamed));
}

const RenamedWeight* RenamedWeights::entry(std::string_view name) const {
    const auto found =
        std::ranges::lower_bound(weights_, name, {}, [](const RenamedWeight& w) { return std::string_view(w.name); });
    return found != weights_.end() && found->name == name ? &*found : nullptr;
}

Result<kernels::WeightView> RenamedWeights::find(std::string_view name) const {
    const RenamedWeight* weight = entry(name);
    if (!weight)
        return fail(StatusCode::BadInput,
                    fmt::format("the model lacks the weight {}; its file may belong to another model, or be incomplete",
                                quotedName(name)));
    RB_ASSIGN(const kernels::WeightView stored, sources_[weight->source]->find(weight->storedName));
    switch (weight->form) {
        case RenamedWeight::Form::Whole:
            return stored;
        case RenamedWeight::Form::RowRange:
            return rowRange(*weight, stored);
        case RenamedWeight::Form::Transposed:
            return transposed(*weight, stored);
    }
    return fail(StatusCode::Internal, "unknown form of a renamed weight");
}

Result<kernels::WeightView> RenamedWeights::transposed(const RenamedWeight& weight,
                                                       const kernels::WeightView& stored) const {
    if (stored.shape.rank() != 2)
        return fail(StatusCode::BadInput, fmt::format("the weight {} has the shape {} where a matrix is needed",
                                                      quotedName(weight.storedName), stored.shape.toString()));
    const std::int64_t rows = stored.shape[0];
    const std::int64_t columns = stored.shape[1];
    const std::lock_guard lock(transposedMutex_);
    auto [made, isNew] = transposed_.try_emplace(&weight);
    if (isNew) {
        std::vector<float> values(static_cast<std::size_t>(stored.shape.elements()));
        stored.toFloat(values.data());
        made->second.resize(values.size());
        for (std::int64_t row = 0; row < rows; ++row)
            for (std::int64_t column = 0; column < columns; ++column)
                made->second[static_cast<std::size_t>(column * rows + row)] =
                    values[static_cast<std::size_t>(row * columns + column)];
    }
    kernels::WeightView view;
    view.shape = kernels::Shape{columns, rows};
    view.data = made->second.data();
    return view;
}

void RenamedWeights::dropPages() const {
    for (const auto& source : sources_) source->dropPages();
}

}  // namespace reelbrush::weights
