#pragma once

#include <cstdint>
#include <optional>

/// Which frames stay. Every tier keeps those of the highest worth a byte; this file is the whole policy.
namespace reelbrush::cache {

/// Where the artist looks, in frames of the timeline, and which way the film plays.
struct Playhead {
    std::int64_t position = 0;
    int direction = 1;  ///< 1 forwards, -1 backwards, 0 standing
};

/// How far a frame is from being shown. What lies behind a playing film counts three times: it comes back only when the
/// artist turns or plays the passage again (two to four were best on a trace of scrubbing, see README.md). A frame
/// without a place, such as one of a style that is not shown, counts as 1,000 frames away.
double distanceFrames(const Playhead& playhead, std::optional<std::int64_t> position);

/// A frame in memory.
struct MemoryStanding {
    double repaintSeconds = 0;
    double entropyBits = 8;  ///< a byte, 0 to 8
    double sizeBytes = 1;
    double distanceFrames = 0;
    bool isOnDisk = false;  ///< a way back that needs no painting
};

/// worth = seconds to have it back / bytes * 24 / (24 + distance)
///
/// Seconds to have it back: where it is on disk, reading what packing leaves of it (bytes * entropy / 8, at 500 MB/s)
/// and unpacking (800 MB/s); else painting it again, and never less than that reading. So a frame that says little goes
/// out before one that says much, one that is nowhere else stays longest, and 24 frames away halve the worth.
double memoryWorth(const MemoryStanding& standing);

/// worth = seconds to paint it again / stored bytes * 1 day / (1 day + age)
///
/// The disk is shared by all clips and runs, which have no common playhead: the time since its last use counts. Frames
/// that cost the same go in the order of that time.
double diskWorth(double repaintSeconds, double storedBytes, double ageSeconds);

}  // namespace reelbrush::cache
