#include "kernels/cuda/cuda_memory.h"

#include "kernels/cuda/cuda_status.h"

#include <utility>

namespace reelbrush::kernels {

Result<std::unique_ptr<CudaMemory>> CudaMemory::allocate(std::size_t bytes, std::shared_ptr<MemoryBudget> budget,
                                                         const char* purpose) {
    std::unique_ptr<CudaMemory> block(new CudaMemory());
    if (bytes == 0) return block;
    RB_ASSIGN(block->claim_, MemoryClaim::make(std::move(budget), bytes, purpose));
    void* data = nullptr;
    RB_TRY(cudaStatus(cudaMalloc(&data, bytes), purpose));
    block->data_ = static_cast<std::byte*>(data);
    block->sizeBytes_ = bytes;
    return block;
}

CudaMemory::~CudaMemory() {
    if (data_) cudaFree(data_);
}

Result<std::unique_ptr<PinnedMemory>> PinnedMemory::allocate(std::size_t bytes, std::shared_ptr<MemoryBudget> budget,
                                                             const char* purpose) {
    std::unique_ptr<PinnedMemory> block(new PinnedMemory());
    if (bytes == 0) return block;
    RB_ASSIGN(block->claim_, MemoryClaim::make(std::move(budget), bytes, purpose));
    void* data = nullptr;
    RB_TRY(cudaStatus(cudaHostAlloc(&data, bytes, cudaHostAllocPortable | cudaHostAllocMapped), purpose));
    block->data_ = static_cast<std::byte*>(data);
    block->sizeBytes_ = bytes;
    return block;
}

PinnedMemory::~PinnedMemory() {
    if (data_) cudaFreeHost(data_);
}

}  // namespace reelbrush::kernels
