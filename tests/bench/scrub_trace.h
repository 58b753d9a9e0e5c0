#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reelbrush::cache {

/// Where an artist's playhead was, frame by frame.
struct ScrubStep {
    std::int64_t position = 0;
    int direction = 1;
};

/// Twenty minutes of work on a clip of 1,500 frames, as a person works on a cut: plays a passage, jumps back and plays
/// it again, steps, drags over the whole and returns. Made by rule, always the same.
std::vector<ScrubStep> scrubTrace();

struct TraceResult {
    double hitRate = 0;         ///< of the steps, those whose frame was in memory
    std::uint64_t fetched = 0;  ///< frames read from disk: the traffic
};
/// Memory of so many frames; all frames are on disk. Fetches nothing ahead.
TraceResult replayWithLru(const std::vector<ScrubStep>& trace, std::size_t frames);
/// The same with MemoryShelf, which knows the playhead.
TraceResult replayWithShelf(const std::vector<ScrubStep>& trace, std::size_t frames);

}  // namespace reelbrush::cache
