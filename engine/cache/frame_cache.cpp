#include "engine/cache/frame_cache.h"

#include "engine/cache/information.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

namespace reelbrush::cache {

namespace {

/// Keys that are remembered to tell evicted frames from those that never were: 16,384 take about 2 MB.
constexpr std::size_t kMostSeen = 16'384;

}  // namespace

Result<std::unique_ptr<FrameCache>> FrameCache::open(FrameCacheOptions options) {
    for (const auto& tier : options.tiers)
        if (!tier || tier->budget().limitBytes() == 0)
            return fail(StatusCode::BadInput, "a tier of the frame cache has no limit; give it a number of bytes");
    if (options.tiers.empty())
        return fail(StatusCode::BadInput, "the frame cache has no memory; give it at least a tier of RAM");
    std::unique_ptr<DiskStore> disk;
    std::string note;
    if (options.disk) {
        auto opened = DiskStore::open(std::move(*options.disk));
        if (opened)
            disk = std::move(*opened);
        else
            note = opened.error().message + "; frames are kept in memory only";
    }
    std::unique_ptr<FrameCache> cache(new FrameCache(std::move(options.tiers), std::move(disk)));
    if (!note.empty()) cache->notes_.push_back(std::move(note));
    if (cache->disk_) cache->writer_ = std::make_unique<FrameWriter>();
    if (options.prefetchFrames > 0)
        cache->prefetcher_ = std::make_unique<Prefetcher>(
            options.prefetchFrames,
            [raw = cache.get()](const FrameKey& key, std::int64_t position) { return raw->prefetch(key, position); });
    return cache;
}

FrameCache::FrameCache(std::vector<std::shared_ptr<CacheTier>> tiers, std::unique_ptr<DiskStore> disk)
    : shelf_(std::move(tiers)), disk_(std::move(disk)) {}

FrameCache::~FrameCache() = default;

Status FrameCache::put(const FrameKey& key, const FrameView& frame, const FrameNotes& notes,
                       std::optional<std::int64_t> position) {
    RB_TRY(checkFrame(frame));
    FrameNotes known = notes;
    if (!(known.repaintSeconds >= 0)) known.repaintSeconds = 0;
    if (!(known.entropyBits >= 0 && known.entropyBits <= 8)) known.entropyBits = informationOf(frame);
    remember(key);
    if (writer_) writer_->flush();  // the frame before is let go, so that it may make room for this one

    const MemoryShelf::Entry entry{key, frame.shape, known, position, false};
    auto kept = allocate(entry, MemoryShelf::Reason::Painted);
    if (kept && kept->tier->write(*kept->block, frame.bytes)) {
        const FrameHandle handle = kept;
        shelf_.add(std::move(kept), entry);
        if (writer_) writer_->submit([this, handle] { writeOut(handle); });
        return {};
    }
    // Larger than the memory, or all of it is in use: the disk may still take it.
    if (!disk_ || writeNow(key, frame, known) != DiskStore::Written::Yes) ++refused_;
    return {};
}

std::shared_ptr<FrameInMemory> FrameCache::allocate(const MemoryShelf::Entry& entry, MemoryShelf::Reason reason) {
    auto frame = shelf_.allocate(entry, reason);
    if (frame) return frame;
    {
        const std::lock_guard lock(mutex_);
        if (!std::exchange(written_, nullptr)) return nullptr;
    }
    return shelf_.allocate(entry, reason);
}

void FrameCache::writeOut(const FrameHandle& frame) {
    const FrameView view{frame->shape, {frame->block->hostBytes(), frame->shape.sizeBytes()}};
    if (writeNow(frame->key, view, frame->notes) != DiskStore::Written::Yes) return;
    shelf_.setOnDisk(frame->key);
    const std::lock_guard lock(mutex_);
    written_ = frame;
}

DiskStore::Written FrameCache::writeNow(const FrameKey& key, const FrameView& frame, const FrameNotes& notes) {
    const auto baseKey = disk_->nextBase(frame.shape);
    const FrameHandle base = baseKey ? shelf_.peek(*baseKey) : nullptr;
    std::optional<BaseFrame> before;
    if (base && base->block->hostBytes() && base->shape == frame.shape && base->key != key)
        before = BaseFrame{*baseKey, {base->block->hostBytes(), base->shape.sizeBytes()}};
    return disk_->write(key, frame, notes, before);
}

std::optional<CachedFrame> FrameCache::get(const FrameKey& key, std::optional<std::int64_t> position) {
    if (const FrameHandle found = shelf_.find(key, position)) {
        ++memoryHits_;
        if (disk_) disk_->touch(key);
        return CachedFrame(found);
    }
    const FrameHandle fetched = fetch(key, position, MemoryShelf::Reason::Asked);
    ++(fetched ? diskHits_ : misses_);
    return fetched ? std::optional<CachedFrame>(fetched) : std::nullopt;
}

FrameHandle FrameCache::fetch(const FrameKey& key, std::optional<std::int64_t> position, MemoryShelf::Reason reason) {
    if (!disk_) return nullptr;
    {
        std::unique_lock lock(mutex_);
        fetched_.wait(lock, [&] { return !fetching_.contains(key); });
        if (FrameHandle found = shelf_.find(key, position)) return found;
        fetching_.insert(key);
    }
    FrameHandle frame;
    try {
        frame = fetchFromDisk(key, position, reason);
    } catch (const std::bad_alloc&) {
        ++refused_;
    }
    const std::lock_guard lock(mutex_);
    fetching_.erase(key);
    fetched_.notify_all();
    return frame;
}

FrameHandle FrameCache::fetchFromDisk(const FrameKey& key, std::optional<std::int64_t> position,
                                      MemoryShelf::Reason reason) {
    const auto stored = disk_->find(key);
    if (!stored) return nullptr;
    const MemoryShelf::Entry entry{key, stored->record.shape, stored->record.notes, position, true};
    auto frame = allocate(entry, reason);
    if (!frame) {
        refused_ += reason == MemoryShelf::Reason::Asked ? 1 : 0;
        return nullptr;
    }
    const auto fromMemory = [&](const FrameKey& baseKey, const FrameShape& shape, std::span<std::byte> bytes) {
        const FrameHandle base = shelf_.peek(baseKey);
        return base && base->shape == shape && base->tier->read(*base->block, bytes).has_value();
    };
    const std::span<std::byte> bytes(frame->block->hostBytes(), entry.shape.sizeBytes());
    if (!disk_->read(*stored, bytes, fromMemory)) return nullptr;
    disk_->touch(key);
    remember(key);
    FrameHandle handle = frame;
    shelf_.add(std::move(frame), entry);
    return handle;
}

bool FrameCache::prefetch(const FrameKey& key, std::int64_t position) {
    if (!shelf_.find(key, position)) {
        if (!disk_ || !disk_->contains(key)) return true;  // to be painted; those behind it may be there
        // Still there: it had no room, and those behind it would have none.
        if (!fetch(key, position, MemoryShelf::Reason::Ahead)) return !disk_->contains(key);
        ++prefetched_;
    }
    if (shelf_.tiers().size() > 1) (void)shelf_.raise(key);
    return true;
}

FrameState FrameCache::stateOf(const FrameKey& key) const {
    if (shelf_.peek(key)) return FrameState::Active;
    if (disk_ && disk_->contains(key)) return FrameState::Swapped;
    const std::lock_guard lock(mutex_);
    return seen_.contains(key) ? FrameState::Evicted : FrameState::Unknown;
}

void FrameCache::remember(const FrameKey& key) {
    const std::lock_guard lock(mutex_);
    if (!seen_.insert(key).second) return;
    seenInOrder_.push_back(key);
    if (seenInOrder_.size() <= kMostSeen) return;
    seen_.erase(seenInOrder_.front());
    seenInOrder_.pop_front();
}

void FrameCache::setTimeline(Timeline timeline) {
    if (prefetcher_) prefetcher_->setTimeline(std::move(timeline));
}

void FrameCache::setPlayhead(const Playhead& playhead) {
    shelf_.setPlayhead(playhead);
    if (prefetcher_) prefetcher_->setPlayhead(playhead);
}

void FrameCache::flush() {
    if (writer_) writer_->flush();
}

void FrameCache::flushPrefetch() {
    if (prefetcher_) prefetcher_->flush();
}

Status FrameCache::clear() {
    flush();
    {
        const std::lock_guard lock(mutex_);
        written_.reset();
    }
    shelf_.clear();
    if (disk_) RB_TRY(disk_->clear());
    return {};
}

CacheSnapshot FrameCache::snapshot() const {
    CacheSnapshot snapshot;
    std::uint64_t activeOnDisk = 0;
    for (MemoryShelf::Listed& listed : shelf_.list()) {
        activeOnDisk += listed.isOnDisk ? 1 : 0;
        snapshot.active.push_back({listed.key, listed.position, std::move(listed.tier), listed.worth, listed.isOnDisk});
    }
    std::ranges::sort(snapshot.active, {}, [](const ActiveFrame& frame) {
        return std::pair(frame.position.value_or(std::numeric_limits<std::int64_t>::max()), frame.key);
    });
    for (const auto& tier : shelf_.tiers()) {
        TierReading reading{tier->name(), tier->budget().limitBytes(), tier->budget().heldBytes(),
                            tier->budget().peakBytes(), 0};
        reading.frames =
            static_cast<std::uint64_t>(std::ranges::count(snapshot.active, reading.name, &ActiveFrame::tier));
        snapshot.tiers.push_back(std::move(reading));
    }
    const MemoryShelf::Counts counts = shelf_.counts();
    snapshot.lowered = counts.lowered;
    snapshot.raised = counts.raised;
    snapshot.evictedFrames = counts.lost;
    snapshot.memoryHits = memoryHits_;
    snapshot.diskHits = diskHits_;
    snapshot.misses = misses_;
    snapshot.prefetched = prefetched_;
    snapshot.refused = refused_;
    if (!disk_) return snapshot;
    const DiskStore::Reading disk = disk_->reading();
    snapshot.hasDisk = true;
    snapshot.isDiskWriting = disk.isWriting;
    snapshot.damaged = disk.damaged;
    snapshot.bytesOut = disk.rawBytesOut;
    snapshot.packedBytesOut = disk.packedBytesOut;
    snapshot.bytesIn = disk.rawBytesIn;
    snapshot.packedBytesIn = disk.packedBytesIn;
    snapshot.deltasOut = disk.deltasOut;
    snapshot.diskFrames = disk.totals.frames;
    snapshot.diskBytes = disk.totals.segmentBytes;
    snapshot.diskLimitBytes = disk.limitBytes;
    snapshot.swappedFrames = disk.totals.frames - std::min(disk.totals.frames, activeOnDisk);
    return snapshot;
}

std::vector<std::string> FrameCache::takeNotes() {
    std::vector<std::string> notes = disk_ ? disk_->takeNotes() : std::vector<std::string>();
    const std::lock_guard lock(mutex_);
    notes.insert(notes.begin(), notes_.begin(), notes_.end());
    notes_.clear();
    return notes;
}

}  // namespace reelbrush::cache
