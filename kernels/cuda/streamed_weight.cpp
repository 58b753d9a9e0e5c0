#include "kernels/cuda/streamed_weight.h"

#include "kernels/cuda/cuda_status.h"
#include "kernels/plan/ring_layout.h"

#include <utility>

namespace reelbrush::kernels {

namespace {

constexpr const char* kCopying = "copying streamed weights";

}  // namespace

Result<std::unique_ptr<StreamedWeight>> StreamedWeight::create(std::size_t bytes, std::shared_ptr<WeightRing> ring,
                                                               std::shared_ptr<MemoryBudget> pinnedBudget) {
    RB_ENSURE(bytes <= ring->sizeBytes(), "a streamed weight that is larger than its ring");
    std::unique_ptr<StreamedWeight> weight(new StreamedWeight(std::move(ring)));
    RB_ASSIGN(weight->host_, PinnedMemory::allocate(bytes, std::move(pinnedBudget), "streamed weights"));
    for (cudaEvent_t* event : {&weight->copied_, &weight->read_})
        RB_TRY(cudaStatus(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "making a CUDA event"));
    return weight;
}

StreamedWeight::~StreamedWeight() {
    for (const cudaEvent_t event : {copied_, read_})
        if (event) cudaEventDestroy(event);
}

void StreamedWeight::arrange(std::span<StreamedWeight* const> weights) {
    if (weights.empty()) return;
    std::vector<std::size_t> sizes;
    for (const StreamedWeight* weight : weights) sizes.push_back(weight->sizeBytes());
    const std::vector<RingPlace> places = layOutRing(sizes, weights.front()->ring_->sizeBytes());
    for (std::size_t i = 0; i < weights.size(); ++i) {
        weights[i]->offset_ = places[i].offset;
        weights[i]->isArranged_ = true;
        auto& before = places[i].after == RingPlace::kNone ? weights.front()->first_ : weights[places[i].after]->next_;
        before.push_back(weights[i]);
    }
}

Status StreamedWeight::copy() const {
    RB_TRY(cudaStatus(cudaMemcpyAsync(slot(), host(), sizeBytes(), cudaMemcpyHostToDevice, ring_->copies()), kCopying));
    return cudaStatus(cudaEventRecord(copied_, ring_->copies()), kCopying);
}

Status StreamedWeight::bring() const {
    if (!isArranged_)
        return cudaStatus(cudaMemcpyAsync(slot(), host(), sizeBytes(), cudaMemcpyHostToDevice, ring_->compute()),
                          kCopying);
    if (!first_.empty()) {
        RB_TRY(ring_->begin());
        for (const StreamedWeight* weight : first_) RB_TRY(weight->copy());
    }
    return cudaStatus(cudaStreamWaitEvent(ring_->compute(), copied_, 0), kCopying);
}

Status StreamedWeight::release() const {
    if (next_.empty()) return {};
    RB_TRY(cudaStatus(cudaEventRecord(read_, ring_->compute()), kCopying));
    RB_TRY(cudaStatus(cudaStreamWaitEvent(ring_->copies(), read_, 0), kCopying));
    for (const StreamedWeight* weight : next_) RB_TRY(weight->copy());
    return {};
}

}  // namespace reelbrush::kernels
