#include "kernels/cuda/weight_ring.h"

#include "kernels/cuda/cuda_status.h"

#include <utility>

namespace reelbrush::kernels {

Result<std::shared_ptr<WeightRing>> WeightRing::create(std::size_t bytes, std::shared_ptr<MemoryBudget> budget,
                                                       cudaStream_t compute) {
    constexpr const char* kDoing = "making room for streamed weights";
    std::shared_ptr<WeightRing> ring(new WeightRing(compute));
    RB_ASSIGN(ring->memory_, CudaMemory::allocate(bytes, std::move(budget), "streamed weights"));
    // Layers are timed before their weights have been there; as half-precision numbers these are 0.53.
    constexpr int kFillByte = 0x38;
    RB_TRY(cudaStatus(cudaMemsetAsync(ring->data(), kFillByte, bytes, compute), kDoing));
    RB_TRY(cudaStatus(cudaStreamCreateWithFlags(&ring->copies_, cudaStreamNonBlocking), kDoing));
    RB_TRY(cudaStatus(cudaEventCreateWithFlags(&ring->begun_, cudaEventDisableTiming), kDoing));
    return ring;
}

WeightRing::~WeightRing() {
    if (begun_) cudaEventDestroy(begun_);
    if (!copies_) return;
    cudaStreamSynchronize(copies_);
    cudaStreamDestroy(copies_);
}

Status WeightRing::begin() const {
    constexpr const char* kDoing = "copying streamed weights";
    RB_TRY(cudaStatus(cudaEventRecord(begun_, compute_), kDoing));
    return cudaStatus(cudaStreamWaitEvent(copies_, begun_, 0), kDoing);
}

}  // namespace reelbrush::kernels
