#include "kernels/cuda/weight_pool.h"

#include <algorithm>
#include <utility>

namespace reelbrush::kernels {

namespace {

constexpr std::size_t kAlignment = 256;
constexpr std::size_t kDriverStep = std::size_t{2} << 20;
constexpr std::size_t kLeastBlock = std::size_t{8} << 20;

std::size_t roundedUp(std::size_t bytes, std::size_t step) {
    return (bytes + step - 1) / step * step;
}

}  // namespace

Result<PooledMemory> WeightPool::take(std::size_t bytes) {
    if (bytes == 0) return PooledMemory();
    const std::size_t wanted = roundedUp(bytes, kAlignment);
    std::erase_if(rests_, [](const Rest& rest) { return rest.block.expired() || rest.bytes == 0; });
    for (Rest& rest : rests_) {
        if (rest.bytes < wanted) continue;
        PooledMemory taken(rest.block.lock(), rest.offset, bytes);
        rest.offset += wanted;
        rest.bytes -= wanted;
        return taken;
    }
    // Small ones share a block.
    std::size_t size = roundedUp(wanted, kDriverStep);
    if (size < kLeastBlock / 2) size = kLeastBlock;
    auto block = CudaMemory::allocate(size, budget_, "weights on the GPU");
    if (!block && size > wanted) {
        size = wanted;
        block = CudaMemory::allocate(size, budget_, "weights on the GPU");
    }
    if (!block) return fail(std::move(block).error());
    std::shared_ptr<CudaMemory> shared = *std::move(block);
    rests_.push_back({shared, wanted, size - wanted});
    return PooledMemory(std::move(shared), 0, bytes);
}

}  // namespace reelbrush::kernels
