#include "engine/weights/model_weights.h"

#include "engine/weights/quoted_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace reelbrush::weights {

namespace {

using kernels::DType;

constexpr std::string_view kScaleEnding = "_scale";

/// The int8 weight that a tensor of this name would be the scale of; null where there is none.
const StoredTensor* weightScaledBy(const StoredTensors& stored, std::string_view name) {
    if (!name.ends_with(kScaleEnding)) return nullptr;
    const StoredTensor* weight = stored.find(name.substr(0, name.size() - kScaleEnding.size()));
    return weight && weight->info->dtype == DType::I8 ? weight : nullptr;
}

Status checkScale(const StoredTensor& weight, const StoredTensor& scale) {
    const auto bad = [&](std::string what) {
        return fail(StatusCode::BadInput,
                    fmt::format("{}: the scale of int8 tensor {} {}", quotedPath(scale.file->path()),
                                quotedName(weight.info->name), what));
    };
    if (scale.info->dtype != DType::F16)
        return bad(fmt::format("is stored as {} where F16 is needed", kernels::nameOf(scale.info->dtype)));
    const auto& shape = scale.info->shape;
    const bool fits = !weight.info->shape.empty() && !shape.empty() && shape[0] == weight.info->shape[0] &&
                      scale.info->elements() == shape[0];
    if (!fits)
        return bad(fmt::format("has shape {}, but the tensor has shape {}: one scale a row is needed", shapeText(shape),
                               shapeText(weight.info->shape)));
    const auto bytes = scale.bytes();
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint16_t)) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, bytes.data() + at, sizeof bits);
        if (!std::isfinite(kernels::halfToFloat(bits)))
            return bad(fmt::format("is not finite in row {}: the file is damaged", at / sizeof bits));
    }
    return {};
}

}  // namespace

Result<std::shared_ptr<const ModelWeights>> ModelWeights::open(const std::filesystem::path& path) {
    RB_ASSIGN(auto stored, StoredTensors::open(path));
    std::shared_ptr<ModelWeights> weights(new ModelWeights(std::move(stored)));
    RB_TRY(weights->pairScales());
    return std::shared_ptr<const ModelWeights>(std::move(weights));
}

Status ModelWeights::pairScales() {
    for (const StoredTensor& tensor : stored_->tensors()) {
        const StoredTensor* weight = weightScaledBy(*stored_, tensor.info->name);
        if (weight) {
            RB_TRY(checkScale(*weight, tensor));
        } else {
            names_.push_back(tensor.info->name);
        }
    }
    return {};
}

const StoredTensor* ModelWeights::scaleOf(const StoredTensor& weight) const {
    if (weight.info->dtype != DType::I8) return nullptr;
    return stored_->find(weight.info->name + std::string(kScaleEnding));
}

bool ModelWeights::contains(std::string_view name) const {
    return std::ranges::binary_search(names_, name);
}

Result<kernels::WeightView> ModelWeights::find(std::string_view name) const {
    const StoredTensor* tensor = contains(name) ? stored_->find(name) : nullptr;
    if (!tensor)
        return fail(StatusCode::BadInput,
                    fmt::format("{} lacks the weight {}; the file may belong to another model, or be incomplete",
                                quotedPath(stored_->path()), quotedName(name)));
    if (tensor->info->shape.size() > kernels::Shape::kMaxRank)
        return fail(StatusCode::Unsupported,
                    fmt::format("{}: weight {} has shape {}, more than the supported {} dimensions",
                                quotedPath(stored_->path()), quotedName(name), shapeText(tensor->info->shape),
                                kernels::Shape::kMaxRank));
    kernels::WeightView view;
    view.dtype = tensor->info->dtype;
    view.shape = kernels::Shape(std::span<const std::int64_t>(tensor->info->shape));
    view.data = alignedData(*tensor);
    if (const StoredTensor* scale = scaleOf(*tensor))
        view.rowScales = static_cast<const std::uint16_t*>(alignedData(*scale));
    return view;
}

const void* ModelWeights::alignedData(const StoredTensor& tensor) const {
    const auto bytes = tensor.bytes();
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % kernels::sizeOf(tensor.info->dtype) == 0) return bytes.data();
    // Old writers did not pad the header. Loops over such data could use instructions that fault on it.
    const std::lock_guard lock(copiesMutex_);
    auto [copy, isNew] = alignedCopies_.try_emplace(tensor.info);
    if (isNew) copy->second.assign(bytes.begin(), bytes.end());
    return copy->second.data();
}

std::int64_t ModelWeights::parameters() const {
    std::int64_t count = 0;
    for (const std::string& name : names_) count += stored_->find(name)->info->elements();
    return count;
}

}  // namespace reelbrush::weights
