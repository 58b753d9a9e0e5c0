#pragma once

#include "engine/core/status.h"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace reelbrush::media {

/// What reading all packets of a clip's video stream, without decoding any, tells.
struct PacketCount {
    std::int64_t frames = 0;
    /// Distances between neighbouring frames in presentation order, in ticks; 0 where unknown.
    std::int64_t shortestStep = 0, longestStep = 0;
};

/// Memory grows with the number of packets: meant for small files. Errors: as Demuxer::open.
Result<PacketCount> countPackets(const std::filesystem::path& file);

/// A keyframe from which decoding gives the same frames as decoding from the beginning.
struct SeekPoint {
    std::int64_t pts = 0;    ///< in ticks of the video stream
    std::int64_t index = 0;  ///< of that frame in presentation order
};

/// The last such keyframe at or before frame `index`, found from timestamps and keyframe flags alone. Nothing where
/// that is not certain (timestamps missing, codecs whose packets are not frames, a clip that begins within a group of
/// pictures) or where it would be the first frame.
Result<std::optional<SeekPoint>> findSeekPoint(const std::filesystem::path& file, std::int64_t index);

}  // namespace reelbrush::media
