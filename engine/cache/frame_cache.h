#pragma once

#include "engine/cache/cache_snapshot.h"
#include "engine/cache/cached_frame.h"
#include "engine/cache/disk_store.h"
#include "engine/cache/frame_writer.h"
#include "engine/cache/memory_shelf.h"
#include "engine/cache/prefetcher.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace reelbrush::cache {

struct FrameCacheOptions {
    /// Memory, the fastest first: a DeviceTier where there is a GPU, then a PinnedTier or a RamTier. The last is memory
    /// of the host; at least one.
    std::vector<std::shared_ptr<CacheTier>> tiers;
    /// Where frames are kept on disk; nothing: they are not. See cache_settings.h for the user's folder and limit.
    std::optional<DiskStoreOptions> disk;
    int prefetchFrames = 16;  ///< ahead of the playhead; 0: none
};

/// Painted frames, found by everything that went into them. What was painted once is shown again at once, in this
/// run or a later one, as long as the budgets of memory and disk allow.
///
///     auto cache = FrameCache::open({.tiers = {std::make_shared<RamTier>(ramBytes)}, .disk = userDisk(folder)});
///     if (auto frame = cache->get(key, 42)) show(frame->hostBytes());
///     else cache->put(key, paint(), {.repaintSeconds = 0.3}, 42);
///
/// No failure of the cache is one of its user's work: what cannot be kept is missing later, and notes say why.
/// Thread-safe.
class FrameCache {
  public:
    /// Where the folder cannot be used, frames are kept in memory only, and takeNotes() says so.
    /// Errors: BadInput where there is no tier of the host's memory.
    static Result<std::unique_ptr<FrameCache>> open(FrameCacheOptions options);
    /// Waits for the frame that is being written.
    ~FrameCache();

    /// Keeps a copy in memory and writes it to disk behind the caller's back; waits while the frame before is written.
    /// position: its place on the timeline, if it has one. Errors: BadInput where shape and bytes do not agree.
    Status put(const FrameKey& key, const FrameView& frame, const FrameNotes& notes,
               std::optional<std::int64_t> position = std::nullopt);
    /// Nothing where it has to be painted. A frame that is being fetched is waited for.
    std::optional<CachedFrame> get(const FrameKey& key, std::optional<std::int64_t> position = std::nullopt);
    /// Without fetching it; for a timeline that shows what is there.
    FrameState stateOf(const FrameKey& key) const;

    /// Which frame is at which place, for prefetching; to be set again when styles change.
    void setTimeline(Timeline timeline);
    void setPlayhead(const Playhead& playhead);
    /// Waits until every frame that was put is on disk.
    void flush();
    /// Waits until the frames ahead of the playhead are fetched.
    void flushPrefetch();
    /// Forgets all frames of this folder that no other process is writing. Errors: Io.
    Status clear();

    CacheSnapshot snapshot() const;
    /// Sentences for the user that nobody took yet, each once.
    std::vector<std::string> takeNotes();

  private:
    FrameCache(std::vector<std::shared_ptr<CacheTier>> tiers, std::unique_ptr<DiskStore> disk);

    /// As MemoryShelf::allocate.
    std::shared_ptr<FrameInMemory> allocate(const MemoryShelf::Entry& entry, MemoryShelf::Reason reason);
    FrameHandle fetch(const FrameKey& key, std::optional<std::int64_t> position, MemoryShelf::Reason reason);
    FrameHandle fetchFromDisk(const FrameKey& key, std::optional<std::int64_t> position, MemoryShelf::Reason reason);
    bool prefetch(const FrameKey& key, std::int64_t position);
    void writeOut(const FrameHandle& frame);
    DiskStore::Written writeNow(const FrameKey& key, const FrameView& frame, const FrameNotes& notes);
    void remember(const FrameKey& key);

    MemoryShelf shelf_;
    const std::unique_ptr<DiskStore> disk_;  ///< null: none

    mutable std::mutex mutex_;
    std::condition_variable fetched_;
    /// What was written last, kept as the base of the next one as long as there is room.
    FrameHandle written_;
    std::unordered_set<FrameKey> fetching_;
    std::unordered_set<FrameKey> seen_;
    std::deque<FrameKey> seenInOrder_;
    std::vector<std::string> notes_;
    std::atomic<std::uint64_t> memoryHits_ = 0, diskHits_ = 0, misses_ = 0, prefetched_ = 0, refused_ = 0;

    std::unique_ptr<FrameWriter> writer_;  // the threads end before what they use
    std::unique_ptr<Prefetcher> prefetcher_;
};

}  // namespace reelbrush::cache
