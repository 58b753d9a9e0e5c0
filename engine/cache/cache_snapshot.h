#pragma once

#include "engine/cache/frame_key.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reelbrush::cache {

/// Where a frame is. Active: in memory. Swapped: on disk only. Evicted: it was here while this process ran, and has to
/// be painted again. Unknown: it never was, or so long ago that nobody remembers.
enum class FrameState : std::uint8_t { Unknown, Active, Swapped, Evicted };
const char* nameOf(FrameState state);

struct TierReading {
    std::string name;
    std::uint64_t limitBytes = 0, heldBytes = 0, peakBytes = 0;
    std::uint64_t frames = 0;
};

struct ActiveFrame {
    FrameKey key;
    std::optional<std::int64_t> position;
    std::string tier;
    double worth = 0;  ///< see retention_score.h
    bool isOnDisk = false;
};

/// What the cache holds and did, at one moment. Counters are of this process, since the cache was opened.
struct CacheSnapshot {
    std::vector<TierReading> tiers;   ///< of memory, the fastest first
    std::vector<ActiveFrame> active;  ///< by position, those without one last
    std::uint64_t swappedFrames = 0, evictedFrames = 0;

    std::uint64_t memoryHits = 0, diskHits = 0, misses = 0;
    std::uint64_t prefetched = 0;           ///< frames that were fetched before anybody asked for them
    std::uint64_t lowered = 0, raised = 0;  ///< frames that moved to a slower and to a faster tier
    std::uint64_t refused = 0;              ///< frames that no tier had room for
    std::uint64_t damaged = 0;              ///< frames on disk that were torn or changed, and now count as missing

    std::uint64_t bytesOut = 0, packedBytesOut = 0;  ///< written to disk: frames, and what they took there
    std::uint64_t bytesIn = 0, packedBytesIn = 0;
    std::uint64_t deltasOut = 0;  ///< of the frames written, those as a difference to another

    std::uint64_t diskFrames = 0, diskBytes = 0, diskLimitBytes = 0;  ///< of all processes that share the folder
    bool hasDisk = false, isDiskWriting = false;

    /// Of what was written; 1 where nothing was.
    double ratio() const;
    /// Of all that was asked for, what was there; 0 where nothing was asked for.
    double hitRate() const;
};

/// One line for logs: "frame cache: 12 active (GPU 3, RAM 9), 240 swapped, 2 evicted; 97 % hits; disk 2.9x".
std::string summaryOf(const CacheSnapshot& snapshot);

}  // namespace reelbrush::cache
