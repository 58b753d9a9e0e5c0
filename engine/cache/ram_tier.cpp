#include "engine/cache/ram_tier.h"

#include <cstring>
#include <new>

namespace reelbrush::cache {

namespace {

constexpr std::align_val_t kAlignment{64};

struct AlignedDelete {
    void operator()(std::byte* bytes) const { ::operator delete(bytes, kAlignment); }
};

class RamBlock : public TierBlock {
  public:
    RamBlock(kernels::MemoryClaim claim, std::size_t bytes)
        : claim_(std::move(claim)),
          bytes_(bytes),
          memory_(static_cast<std::byte*>(::operator new(bytes, kAlignment))) {}

    std::size_t sizeBytes() const override { return bytes_; }
    std::byte* address() override { return memory_.get(); }
    std::byte* hostBytes() override { return memory_.get(); }

  private:
    kernels::MemoryClaim claim_;
    std::size_t bytes_;
    std::unique_ptr<std::byte, AlignedDelete> memory_;  // goes before the claim does
};

}  // namespace

Result<std::unique_ptr<TierBlock>> RamTier::allocate(std::size_t bytes) {
    RB_ASSIGN(kernels::MemoryClaim claim, kernels::MemoryClaim::make(budget_, bytes, "a frame in the cache"));
    try {
        return std::unique_ptr<TierBlock>(std::make_unique<RamBlock>(std::move(claim), bytes));
    } catch (const std::bad_alloc&) {
        return fail(StatusCode::OutOfMemory, "the machine has no memory left for the frame cache; give it less");
    }
}

Status RamTier::write(TierBlock& block, std::span<const std::byte> bytes) {
    RB_ENSURE(bytes.size() <= block.sizeBytes(), "more bytes than the block of the frame cache has");
    std::memcpy(block.hostBytes(), bytes.data(), bytes.size());
    return {};
}

Status RamTier::read(TierBlock& block, std::span<std::byte> bytes) {
    RB_ENSURE(bytes.size() <= block.sizeBytes(), "more bytes than the block of the frame cache has");
    std::memcpy(bytes.data(), block.hostBytes(), bytes.size());
    return {};
}

}  // namespace reelbrush::cache
