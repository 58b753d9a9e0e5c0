#pragma once

#include "engine/cache/frame_format.h"
#include "engine/cache/frame_index.h"
#include "engine/cache/frame_key.h"
#include "engine/cache/frame_record.h"
#include "engine/cache/segment_file.h"
#include "engine/cache/segment_room.h"
#include "engine/core/status.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace reelbrush::cache {

/// Of a cache folder; the rest are segments, and what SQLite puts beside its file.
inline constexpr const char* kIndexFile = "index.sqlite";

struct DiskStoreOptions {
    std::filesystem::path folder;
    /// Of the segment files of all processes together; the index takes some hundred bytes a frame besides.
    std::uint64_t limitBytes = 0;
    std::uint64_t segmentBytes = 64 << 20;
    /// Most frames that have to be unpacked before the one that is asked for; 0: every frame is a key frame.
    /// More save little on paintings, and each takes its time when a frame is asked for out of order.
    int longestChain = 1;
    WriteBytes write = {};  ///< pwrite where empty
};

/// A frame that lies on disk; it stays readable while this lives, even when others remove it.
struct StoredFrame {
    FrameRecord record;
    FramePlace place;
    std::shared_ptr<SegmentFile> segment;
};

/// A frame that the next one may be written as a difference to.
struct BaseFrame {
    FrameKey key;
    std::span<const std::byte> bytes;
};

/// Fetches a frame of that key from memory into `frame`, so that it need not be unpacked; false where it is not there.
using BaseSource = std::function<bool(const FrameKey& key, const FrameShape& shape, std::span<std::byte> frame)>;

/// The frames of a cache folder, packed, shared with other processes.
/// What is torn or damaged is found by its hash, forgotten, and counts as missing. A process that is killed loses at
/// most the frame that it was writing; a machine that loses power may lose the last ones.
/// Thread-safe. Memory besides the caller's: a packed frame and one band per thread that reads or writes.
class DiskStore {
  public:
    /// Makes the folder. A damaged index is made again from the frames.
    /// Errors: Io where the folder cannot be made or written, naming it.
    static Result<std::unique_ptr<DiskStore>> open(DiskStoreOptions options);
    ~DiskStore();

    /// Nothing where it is not there, or cannot be read.
    std::optional<StoredFrame> find(const FrameKey& key);
    /// Whether the index has it, which is fast; it may still turn out damaged.
    bool contains(const FrameKey& key) const;
    /// frame: record.shape.sizeBytes(). base: may be empty.
    /// Errors: BadInput where it is damaged; it is forgotten then.
    Status read(const StoredFrame& stored, std::span<std::byte> frame, const BaseSource& base);
    /// It was used now.
    void touch(const FrameKey& key);

    enum class Written { Yes, NoRoom, Off };
    /// Writes; what was there under that key is replaced. base: used where it is the frame that nextBase() named.
    /// When the disk is full or fails, writing stops for good and notes() says so once; then and after: Off.
    Written write(const FrameKey& key, const FrameView& frame, const FrameNotes& notes,
                  const std::optional<BaseFrame>& base);
    /// The frame that the next one of that shape can be a difference to.
    std::optional<FrameKey> nextBase(const FrameShape& shape) const;

    /// Removes all frames; returns the segments that other processes are writing, which stay.
    Result<std::uint64_t> clear();

    struct Reading {
        FrameIndex::Totals totals;
        std::uint64_t limitBytes = 0;
        std::uint64_t rawBytesOut = 0, packedBytesOut = 0, packedBytesIn = 0, rawBytesIn = 0;
        std::uint64_t deltasOut = 0, damaged = 0, removedSegments = 0;
        bool isWriting = true;
    };
    Reading reading() const;
    /// Sentences for the user that nobody took yet.
    std::vector<std::string> takeNotes();
    const std::filesystem::path& folder() const { return options_.folder; }

  private:
    DiskStore(DiskStoreOptions options, FrameIndex index);

    void forget(const FrameKey& key, const FramePlace& place);
    Result<std::vector<std::pair<FrameRecord, FramePlace>>> chainOf(const StoredFrame& stored,
                                                                    std::span<std::byte> frame, const BaseSource& base);
    Result<Written> writePacked(FrameRecord record, const FrameView& frame, const std::optional<BaseFrame>& base);
    Status flushTouches();
    void stopWriting(const Error& error);

    const DiskStoreOptions options_;
    mutable std::mutex mutex_;  ///< of the index and all below
    FrameIndex index_;
    std::unordered_map<FrameKey, std::int64_t> touches_;
    Reading reading_;
    std::vector<std::string> notes_;

    mutable std::mutex writing_;  ///< taken before mutex_
    SegmentRoom room_;
    struct Last {
        FrameRecord record;
        FramePlace place;
    };
    std::optional<Last> last_;
};

}  // namespace reelbrush::cache
