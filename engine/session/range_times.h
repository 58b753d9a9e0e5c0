#pragma once

#include "engine/core/rational.h"
#include "engine/core/status.h"

#include <cstdint>
#include <filesystem>

namespace reelbrush::session {

/// When a range of frames is shown, in seconds; unknown where it is the clip's own beginning or end.
struct RangeTimes {
    Rational start = Rational::unknown();
    Rational end = Rational::unknown();
};

/// Looks the times of both ends up in the clip, exactly, also where its rate varies: sound is cut there.
/// lastFrame: belongs to the range; negative or behind the clip's end: to the end. Errors: as media::openFrameSource.
Result<RangeTimes> findRangeTimes(const std::filesystem::path& clip, std::int64_t firstFrame, std::int64_t lastFrame,
                                  bool toneMapHdr);

}  // namespace reelbrush::session
