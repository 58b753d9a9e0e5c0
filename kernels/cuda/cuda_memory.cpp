#include "kernels/cuda/cuda_memory.h"

#include "kernels/cuda/cuda_status.h"

#include <utility>

namespace reelbrush::kernels {

Result<std::unique_ptr<CudaMemory>> CudaMemory::allocate(std::size_t bytes, std::shared_ptr<MemoryBudget> budget,
                                                         const char* purpose) {
    std::unique_ptr<CudaMemory> block(new CudaMemory());
    if (bytes == 0) return block;
    if (budget) RB_TRY(budget->take(bytes, purpose));
    void* data = nullptr;
    if (const Status status = cudaStatus(cudaMalloc(&data, bytes), purpose); !status) {
        if (budget) budget->giveBack(bytes);
        return fail(status.error());
    }
    block->data_ = static_cast<std::byte*>(data);
    block->sizeBytes_ = bytes;
    block->budget_ = std::move(budget);
    return block;
}

CudaMemory::~CudaMemory() {
    if (!data_) return;
    cudaFree(data_);
    if (budget_) budget_->giveBack(sizeBytes_);
}

Result<std::unique_ptr<PinnedMemory>> PinnedMemory::allocate(std::size_t bytes, const char* purpose) {
    std::unique_ptr<PinnedMemory> block(new PinnedMemory());
    if (bytes == 0) return block;
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
