#pragma once

#include "engine/cache/frame_format.h"
#include "engine/cache/frame_key.h"
#include "engine/core/status.h"
#include "engine/sqlite/sqlite_handles.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace reelbrush::cache {

/// Where a frame lies.
struct FramePlace {
    std::int64_t segment = 0;
    std::uint64_t offset = 0;
};

/// A row of the index.
struct IndexedFrame {
    FrameKey key;
    FramePlace place;
    std::uint64_t storedBytes = 0, rawBytes = 0;
    double repaintSeconds = 0;
    FrameQuality quality = FrameQuality::Final;
    std::int64_t usedMs = 0;  ///< since 1970
};

struct IndexedSegment {
    std::int64_t id = 0;
    std::uint64_t sizeBytes = 0;  ///< reserved; the file has at most as many
};

/// Which frame lies where: an SQLite file in write-ahead mode, which several processes share. It can be made again from
/// the segment files. All errors: Io, BadInput where it is damaged. Thread: one at a time.
class FrameIndex {
  public:
    /// Errors: BadInput where the file is damaged, no database, or of another version.
    static Result<FrameIndex> open(const std::filesystem::path& file);
    /// Makes an empty one of whatever is there, in place, since others may have it open.
    static Result<FrameIndex> beginAnew(const std::filesystem::path& file);

    /// Calls `work` with no other process writing; undone where it fails.
    template <typename Work>
    Status exclusively(Work work) {
        RB_TRY(connection_.execute("BEGIN IMMEDIATE"));
        Status done = work();
        if (done) done = connection_.execute("COMMIT");
        if (!done) (void)connection_.execute("ROLLBACK");
        return done;
    }

    Result<std::optional<FramePlace>> find(const FrameKey& key) const;
    /// Adds or replaces.
    Status put(const IndexedFrame& frame);
    /// Only where it still lies there: another process may have painted it again meanwhile.
    Status erase(const FrameKey& key, const FramePlace& place);
    Status touch(std::span<const std::pair<FrameKey, std::int64_t>> usedMs);
    Result<std::vector<IndexedFrame>> frames() const;

    Result<std::vector<IndexedSegment>> segments() const;
    /// Adds, or sets how many bytes it has.
    Status setSegment(const IndexedSegment& segment);
    /// With its frames.
    Status eraseSegment(std::int64_t id);
    /// Behind the last frame of the segment that is known.
    Result<std::uint64_t> endOf(std::int64_t segment) const;

    /// What counts against the limit; fast.
    Result<std::uint64_t> segmentBytes() const;

    struct Totals {
        std::uint64_t frames = 0, coarseFrames = 0, segments = 0;
        std::uint64_t segmentBytes = 0;
        std::uint64_t storedBytes = 0, rawBytes = 0;
        std::int64_t oldestUseMs = 0, newestUseMs = 0;  ///< since 1970; 0 where there are no frames
    };
    /// Looks at every row.
    Result<Totals> totals() const;

  private:
    explicit FrameIndex(sqlite::SqliteConnection connection) : connection_(std::move(connection)) {}

    sqlite::SqliteConnection connection_;
};

}  // namespace reelbrush::cache
