#include "engine/cache/cache_snapshot.h"

#include <fmt/format.h>

namespace reelbrush::cache {

const char* nameOf(FrameState state) {
    switch (state) {
        case FrameState::Unknown:
            return "unknown";
        case FrameState::Active:
            return "active";
        case FrameState::Swapped:
            return "swapped";
        case FrameState::Evicted:
            return "evicted";
    }
    return "unknown";
}

double CacheSnapshot::ratio() const {
    return packedBytesOut == 0 ? 1 : static_cast<double>(bytesOut) / static_cast<double>(packedBytesOut);
}

double CacheSnapshot::hitRate() const {
    const std::uint64_t hits = memoryHits + diskHits;
    return hits == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(hits + misses);
}

std::string summaryOf(const CacheSnapshot& snapshot) {
    std::string tiers;
    for (const TierReading& tier : snapshot.tiers)
        tiers += fmt::format("{}{} {}", tiers.empty() ? "" : ", ", tier.name, tier.frames);
    std::string disk = "no disk";
    if (snapshot.hasDisk)
        disk = fmt::format("disk {:.1f}x{}", snapshot.ratio(), snapshot.isDiskWriting ? "" : ", full");
    return fmt::format("frame cache: {} active ({}), {} swapped, {} evicted; {:.0f} % hits; {}", snapshot.active.size(),
                       tiers, snapshot.swappedFrames, snapshot.evictedFrames, 100 * snapshot.hitRate(), disk);
}

}  // namespace reelbrush::cache
