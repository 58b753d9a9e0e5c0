#include "engine/cache/retention_score.h"

#include <algorithm>
#include <cmath>

namespace reelbrush::cache {

namespace {

constexpr double kReachFrames = 24, kBehind = 3, kNowhere = 1'000;
constexpr double kReadBytesPerSecond = 500e6, kUnpackBytesPerSecond = 800e6;
constexpr double kDaySeconds = 86'400;
/// A frame whose cost nobody told is still worth something, so that the time of its last use orders it.
constexpr double kLeastSeconds = 1e-3;

}  // namespace

double distanceFrames(const Playhead& playhead, std::optional<std::int64_t> position) {
    if (!position) return kNowhere;
    const double ahead = static_cast<double>(*position) - static_cast<double>(playhead.position);
    const bool isBehind = (playhead.direction > 0 && ahead < 0) || (playhead.direction < 0 && ahead > 0);
    return std::abs(ahead) * (isBehind ? kBehind : 1);
}

double memoryWorth(const MemoryStanding& standing) {
    const double bytes = std::max(standing.sizeBytes, 1.0);
    const double reading =
        bytes * std::clamp(standing.entropyBits, 0.0, 8.0) / 8 / kReadBytesPerSecond + bytes / kUnpackBytesPerSecond;
    const double seconds = standing.isOnDisk ? reading : std::max(standing.repaintSeconds, reading);
    return seconds / bytes * kReachFrames / (kReachFrames + std::max(standing.distanceFrames, 0.0));
}

double diskWorth(double repaintSeconds, double storedBytes, double ageSeconds) {
    return std::max(repaintSeconds, kLeastSeconds) / std::max(storedBytes, 1.0) * kDaySeconds /
           (kDaySeconds + std::max(ageSeconds, 0.0));
}

}  // namespace reelbrush::cache
