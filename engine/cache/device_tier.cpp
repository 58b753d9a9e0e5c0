#include "engine/cache/device_tier.h"

#include <algorithm>
#include <cstring>

namespace reelbrush::cache {

namespace {

constexpr std::size_t kStagingBytes = 4 << 20;
constexpr std::size_t kAllocationUnit = 256;

/// Memory of a device, or memory that both reach.
class DeviceBlock : public TierBlock {
  public:
    DeviceBlock(kernels::MemoryClaim claim, std::unique_ptr<kernels::DeviceMemory> memory, bool isShared)
        : claim_(std::move(claim)), memory_(std::move(memory)), isShared_(isShared) {}

    std::size_t sizeBytes() const override { return memory_->sizeBytes(); }
    std::byte* address() override { return memory_->data(); }
    std::byte* hostBytes() override { return isShared_ ? memory_->data() : nullptr; }

  private:
    kernels::MemoryClaim claim_;
    std::unique_ptr<kernels::DeviceMemory> memory_;  // goes before the claim does
    bool isShared_;
};

/// Devices copy float32 as it is; any four bytes may be one.
std::int64_t wordsOf(std::size_t bytes) {
    return static_cast<std::int64_t>((bytes + sizeof(float) - 1) / sizeof(float));
}

}  // namespace

Result<std::unique_ptr<DeviceTier>> DeviceTier::make(std::shared_ptr<kernels::Backend> backend,
                                                     std::size_t limitBytes) {
    if (!backend || !backend->device())
        return fail(StatusCode::Unsupported, "the frame cache has no GPU to keep frames on");
    std::unique_ptr<DeviceTier> tier(new DeviceTier(std::move(backend), limitBytes));
    tier->backend_->enter();
    RB_ASSIGN(tier->staging_, tier->backend_->device()->allocateShared(kStagingBytes, "copies of the frame cache"));
    return tier;
}

std::size_t DeviceTier::roundedBytes(std::size_t bytes) const {
    return (bytes + kAllocationUnit - 1) / kAllocationUnit * kAllocationUnit;
}

Result<std::unique_ptr<TierBlock>> DeviceTier::allocate(std::size_t bytes) {
    const std::size_t rounded = roundedBytes(bytes);
    RB_ASSIGN(kernels::MemoryClaim claim,
              kernels::MemoryClaim::make(budget_, rounded, "a frame in the cache on the GPU"));
    const std::lock_guard lock(mutex_);
    backend_->enter();
    RB_ASSIGN(auto memory, backend_->allocateArena(rounded));
    return std::unique_ptr<TierBlock>(std::make_unique<DeviceBlock>(std::move(claim), std::move(memory), false));
}

Status DeviceTier::write(TierBlock& block, std::span<const std::byte> bytes) {
    RB_ENSURE(bytes.size() <= block.sizeBytes(), "more bytes than the block of the frame cache has");
    const std::lock_guard lock(mutex_);
    backend_->enter();
    kernels::Device& device = *backend_->device();
    for (std::size_t at = 0; at < bytes.size(); at += kStagingBytes) {
        const auto piece = bytes.subspan(at, std::min(kStagingBytes, bytes.size() - at));
        std::memcpy(staging_->data(), piece.data(), piece.size());
        RB_TRY(device.load(reinterpret_cast<const float*>(staging_->data()), wordsOf(piece.size()), kernels::DType::F32,
                           block.address() + at));
        RB_TRY(device.finish());
    }
    return {};
}

Status DeviceTier::read(TierBlock& block, std::span<std::byte> bytes) {
    RB_ENSURE(bytes.size() <= block.sizeBytes(), "more bytes than the block of the frame cache has");
    const std::lock_guard lock(mutex_);
    backend_->enter();
    kernels::Device& device = *backend_->device();
    for (std::size_t at = 0; at < bytes.size(); at += kStagingBytes) {
        const auto piece = bytes.subspan(at, std::min(kStagingBytes, bytes.size() - at));
        RB_TRY(device.store(block.address() + at, kernels::DType::F32, wordsOf(piece.size()),
                            reinterpret_cast<float*>(staging_->data())));
        RB_TRY(device.finish());
        std::memcpy(piece.data(), staging_->data(), piece.size());
    }
    return {};
}

Result<std::unique_ptr<TierBlock>> PinnedTier::allocate(std::size_t bytes) {
    if (!backend_ || !backend_->device())
        return fail(StatusCode::Unsupported, "the frame cache has no GPU whose memory it could share");
    RB_ASSIGN(kernels::MemoryClaim claim, kernels::MemoryClaim::make(budget_, bytes, "a frame in the cache"));
    backend_->enter();
    RB_ASSIGN(auto memory, backend_->device()->allocateShared(bytes, "a frame in the cache"));
    return std::unique_ptr<TierBlock>(std::make_unique<DeviceBlock>(std::move(claim), std::move(memory), true));
}

Status PinnedTier::write(TierBlock& block, std::span<const std::byte> bytes) {
    RB_ENSURE(bytes.size() <= block.sizeBytes(), "more bytes than the block of the frame cache has");
    std::memcpy(block.hostBytes(), bytes.data(), bytes.size());
    return {};
}

Status PinnedTier::read(TierBlock& block, std::span<std::byte> bytes) {
    RB_ENSURE(bytes.size() <= block.sizeBytes(), "more bytes than the block of the frame cache has");
    std::memcpy(bytes.data(), block.hostBytes(), bytes.size());
    return {};
}

}  // namespace reelbrush::cache
