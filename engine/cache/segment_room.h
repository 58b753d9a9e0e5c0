#pragma once

#include "engine/cache/frame_index.h"
#include "engine/cache/segment_file.h"
#include "engine/core/status.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

namespace reelbrush::cache {

/// Room for records in a folder of segment files that all processes together keep below a limit. Each process appends
/// to a segment of its own. Room is made by removing whole segments, those of the least worth first (diskWorth), since
/// a file cannot lose its middle; those that a process appends to stay.
/// Every function is called within FrameIndex::exclusively(), so that no two processes take the same room.
class SegmentRoom {
  public:
    /// segmentBytes: where a segment ends and the next begins; at most an eighth of the limit counts.
    SegmentRoom(std::filesystem::path folder, std::uint64_t limitBytes, std::uint64_t segmentBytes);

    /// Reserves: the place counts against the limit from now on. Nothing where the limit leaves no room.
    /// Errors: Io, BadInput.
    Result<std::optional<FramePlace>> reserve(FrameIndex& index, std::uint64_t bytes);
    /// The last place that was reserved is not used, or not whole.
    void giveBack(const FramePlace& place);
    /// Where the last place lies.
    SegmentFile& segment() { return *segment_; }
    /// Segments that were removed to make room.
    std::uint64_t removedSegments() const { return removed_; }

    /// Removes every segment but those that others append to; returns those that stay.
    Result<std::uint64_t> clear(FrameIndex& index);

    std::uint64_t limitBytes() const { return limitBytes_; }

  private:
    Status begin(FrameIndex& index, std::uint64_t bytes);
    Status makeRoom(FrameIndex& index, std::uint64_t bytes);
    /// False where another process appends to it.
    Result<bool> remove(FrameIndex& index, std::int64_t id);
    void leave();

    std::filesystem::path folder_;
    std::uint64_t limitBytes_, segmentBytes_;
    std::unique_ptr<SegmentFile> segment_;
    std::int64_t id_ = 0;
    std::uint64_t end_ = 0;
    std::uint64_t removed_ = 0;
};

/// Milliseconds since 1970.
std::int64_t nowMs();

}  // namespace reelbrush::cache
