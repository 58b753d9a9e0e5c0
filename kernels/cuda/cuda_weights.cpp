#include "kernels/cuda/cuda_weights.h"

#include "kernels/cuda/cuda_status.h"
#include "kernels/cuda/place_weights.h"
#include "kernels/cuda/quantised_values.h"
#include "kernels/plan/float_weights.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace reelbrush::kernels {

namespace {

bool isBias(const WeightNeed& need) {
    return need.role == WeightRole::Bias;
}

}  // namespace

void CudaWeights::listParts(const StepRequest& request) {
    std::int64_t productRow = 0, biasRow = 0;
    const std::vector<std::string>& names = request.node.weights;
    const std::vector<WeightNeed> needs = weightNeeds(request.node.op, request.inputs);
    for (std::size_t i = 0; i < needs.size(); ++i) {
        std::int64_t& row = isBias(needs[i]) ? biasRow : productRow;
        parts_.push_back({i < names.size() ? names[i] : std::string(), needs[i], row});
        row += needs[i].shape[0];
        hasBias_ = hasBias_ || (isBias(needs[i]) && !parts_.back().name.empty());
    }
    outputs_ = productRow;
    const Shape& shape = parts_.front().need.shape;
    pitch_ = shape[1];
    area_ = shape.rank() == 4 ? shape[2] * shape[3] : 1;
}

std::size_t CudaWeights::expandedBytes() const {
    const std::size_t count = isQuantised_ ? QuantisedLayout(values()).values() : values();
    return count * sizeOf(context_.valueType);
}

/// Padding and absent biases stay as they are now, in every reload.
Status CudaWeights::takeMemory() {
    WeightResidency& residency = *context_.residency;
    const auto clear = [&](const PooledMemory& memory) {
        return cudaStatus(cudaMemsetAsync(memory.data(), 0, memory.sizeBytes(), context_.stream),
                          "clearing weights on the GPU");
    };
    if (hasBias_) {
        RB_ASSIGN(bias_, residency.pool().take(static_cast<std::size_t>(outputs_) * sizeOf(context_.valueType)));
        RB_TRY(clear(bias_));
    }
    const bool isSmall = residency.isSmall(expandedBytes());
    isQuantised_ = residency.placement().int8 && !isSmall;
    const std::size_t bytes = isQuantised_ ? QuantisedLayout(values()).sizeBytes() : expandedBytes();
    if (!isSmall && residency.nextIsStreamed(bytes)) {
        RB_ASSIGN(auto ring, residency.ring());
        RB_ASSIGN(streamed_, StreamedWeight::create(bytes, std::move(ring), context_.pinnedBudget));
        return {};
    }
    RB_ASSIGN(kept_, residency.pool().take(bytes));
    return isQuantised_ ? Status() : clear(kept_);
}

Result<std::shared_ptr<CudaWeights>> CudaWeights::load(const StepRequest& request, const CudaContext& context,
                                                       Padding padding) {
    std::shared_ptr<CudaWeights> result(new CudaWeights(context));
    result->listParts(request);
    result->outputs_ = std::max(result->outputs_, padding.outputs);
    result->pitch_ = std::max(result->pitch_, padding.inputs);
    RB_TRY(result->takeMemory());
    RB_TRY(result->reload(request.weights));
    return result;
}

const void* CudaWeights::product(std::byte* room) const {
    if (isQuantised_) return room;
    return streamed_ ? streamed_->slot() : kept_.data();
}

Status CudaWeights::fetch(std::byte* room) const {
    if (isAway_) return {};
    if (streamed_) RB_TRY(streamed_->bring());
    if (!isQuantised_) return {};
    const std::byte* from = streamed_ ? streamed_->slot() : kept_.data();
    RB_TRY(expandValues(from, QuantisedLayout(values()), context_.valueType, room, context_.stream));
    return streamed_ ? streamed_->release() : Status();
}

Status CudaWeights::release() const {
    return streamed_ && !isQuantised_ && !isAway_ ? streamed_->release() : Status();
}

Result<std::vector<WeightView>> CudaWeights::findAll(const WeightProvider& weights) const {
    std::vector<WeightView> views;
    for (const Part& part : parts_) {
        if (part.name.empty() && isBias(part.need)) {
            views.emplace_back();
            continue;
        }
        RB_ASSIGN(WeightView view, weights.find(part.name));
        if (!sameButForOnes(view.shape, part.need.shape))
            return fail(StatusCode::BadInput,
                        fmt::format("Weight '{}' has the shape {} where the model needs {}.", part.name,
                                    view.shape.toString(), part.need.shape.toString()));
        if (view.shape.elements() > std::numeric_limits<std::int32_t>::max())
            return fail(StatusCode::Unsupported,
                        fmt::format("Weight '{}' of the shape {} is too large for a GPU's kernels.", part.name,
                                    view.shape.toString()));
        views.push_back(std::move(view));
    }
    return views;
}

Status CudaWeights::reload(const WeightProvider& weights) {
    RB_ASSIGN(std::vector<WeightView> views, findAll(weights));
    if (isQuantised_ || streamed_)
        RB_TRY(pack(views));
    else
        RB_TRY(uploadAll(views, false, kept_.data()));
    RB_TRY(uploadAll(views, true, bias_.data()));
    return context_.upload->finish();
}

/// Weights that are not kept as they are used are made so first, and then what they are kept as.
Status CudaWeights::pack(std::vector<WeightView>& views) const {
    constexpr const char* kDoing = "packing weights on the GPU";
    std::unique_ptr<CudaMemory> room;
    if (isQuantised_) {
        RB_ASSIGN(room, context_.allocate(expandedBytes(), kDoing));
    }
    std::byte* const expanded = isQuantised_ ? room->data() : streamed_->slot();
    RB_TRY(cudaStatus(cudaMemsetAsync(expanded, 0, expandedBytes(), context_.stream), kDoing));
    RB_TRY(uploadAll(views, false, expanded));
    std::byte* const packed = streamed_ ? streamed_->slot() : kept_.data();
    if (isQuantised_)
        RB_TRY(quantiseValues(expanded, context_.valueType, QuantisedLayout(values()), packed, context_.stream));
    if (streamed_)
        RB_TRY(cudaStatus(
            cudaMemcpyAsync(streamed_->host(), packed, streamed_->sizeBytes(), cudaMemcpyDeviceToHost, context_.stream),
            kDoing));
    return context_.upload->finish();
}

/// Those of the product, or the biases. to: the first row of all.
Status CudaWeights::uploadAll(std::vector<WeightView>& views, bool biases, std::byte* to) const {
    for (std::size_t i = 0; i < views.size(); ++i) {
        if (!views[i].data || isBias(parts_[i].need) != biases) continue;
        RB_TRY(upload(views[i], parts_[i], to));
        views[i] = {};  // what its owner computed is not needed any longer
    }
    return {};
}

/// A bias is placed as a product of one value a row would be.
Status CudaWeights::upload(const WeightView& view, const Part& part, std::byte* to) const {
    const bool bias = isBias(part.need);
    const std::int64_t rowPitch = bias ? 1 : area_ * pitch_;
    to += static_cast<std::size_t>(part.firstRow * rowPitch) * sizeOf(context_.valueType);
    WeightPiece piece;
    piece.stored = view.dtype;
    piece.inputs = bias ? 1 : static_cast<std::uint32_t>(part.need.shape[1]);
    piece.area = bias ? 1 : static_cast<std::uint32_t>(area_);
    piece.pitch = bias ? 1 : static_cast<std::uint32_t>(pitch_);
    const auto elements = static_cast<std::size_t>(view.shape.elements());
    const std::size_t size = sizeOf(view.dtype);
    const bool isScaled = view.isQuantised();
    const std::size_t block = isScaled ? elements / static_cast<std::size_t>(view.shape[0]) : 1;
    piece.scaleBlock = static_cast<std::uint32_t>(block);
    // As many values as a piece holds, and as many as there is room for their scales.
    std::size_t most = StagedUpload::kPieceBytes / size;
    if (isScaled) most = std::min(most, (StagedUpload::kAppendixBytes / sizeof(std::uint16_t) - 1) * block);

    for (std::size_t first = 0; first < elements; first += most) {
        const std::size_t count = std::min(most, elements - first);
        RB_ASSIGN(std::byte* const bytes, context_.upload->nextPiece());
        std::memcpy(bytes, static_cast<const std::byte*>(view.data) + first * size, count * size);
        piece.values = bytes;
        piece.first = static_cast<std::uint32_t>(first);
        piece.count = static_cast<std::uint32_t>(count);
        if (isScaled) {
            const std::size_t firstScale = first / block, scales = (first + count - 1) / block - firstScale + 1;
            std::byte* const appendix = bytes + StagedUpload::kPieceBytes;
            std::memcpy(appendix, view.rowScales + firstScale, scales * sizeof(std::uint16_t));
            piece.scales = reinterpret_cast<const std::uint16_t*>(appendix);
        }
        RB_TRY(placeWeights(piece, context_.valueType, to, context_.stream));
        RB_TRY(context_.upload->pieceIsQueued());
    }
    return {};
}

}  // namespace reelbrush::kernels
