#pragma once

#include "engine/cache/cache_tier.h"
#include "engine/cache/frame_format.h"
#include "engine/cache/frame_key.h"

#include <cstddef>
#include <memory>
#include <span>

namespace reelbrush::cache {

/// A frame in the memory of a tier. It never changes; it moves by being copied.
struct FrameInMemory {
    FrameKey key;
    FrameShape shape;
    FrameNotes notes;
    std::shared_ptr<CacheTier> tier;  // goes after the block does
    std::unique_ptr<TierBlock> block;
};

/// A frame that the cache gave out. Its memory stays, and counts against its tier's budget, until the last copy of this
/// is gone: let go of it soon. Thread-safe.
class CachedFrame {
  public:
    explicit CachedFrame(std::shared_ptr<const FrameInMemory> frame) : frame_(std::move(frame)) {}

    const FrameShape& shape() const { return frame_->shape; }
    const FrameNotes& notes() const { return frame_->notes; }
    std::string tier() const { return frame_->tier->name(); }

    /// Its samples; empty where they lie on a device.
    std::span<const std::byte> hostBytes() const {
        const std::byte* bytes = frame_->block->hostBytes();
        return bytes ? std::span(bytes, frame_->shape.sizeBytes()) : std::span<const std::byte>();
    }
    /// Where the tier's processor finds it.
    const std::byte* address() const { return frame_->block->address(); }
    /// From wherever it lies. bytes: shape().sizeBytes(). Errors: those of the device.
    Status copyTo(std::span<std::byte> bytes) const { return frame_->tier->read(*frame_->block, bytes); }

  private:
    std::shared_ptr<const FrameInMemory> frame_;
};

}  // namespace reelbrush::cache
