#include "engine/cache/disk_store.h"

#include "engine/cache/folder_recovery.h"
#include "engine/cache/frame_codec.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

namespace reelbrush::cache {

namespace {

namespace fs = std::filesystem;

/// Uses that may be lost when the process is killed; each write of the index takes longer than a hit.
constexpr std::size_t kMostTouches = 64;

std::int64_t writeToFile(int file, const std::byte* bytes, std::size_t count, std::int64_t offset) {
    return ::pwrite(file, bytes, count, offset);
}

tl::unexpected<Error> folderError(const fs::path& folder, const std::string& reason) {
    return fail(StatusCode::Io,
                fmt::format("the frame cache '{}' cannot be used: {}; name another folder", folder.string(), reason));
}

}  // namespace

Result<std::unique_ptr<DiskStore>> DiskStore::open(DiskStoreOptions options) {
    if (!options.write) options.write = writeToFile;
    std::error_code error;
    fs::create_directories(options.folder, error);
    if (error) return folderError(options.folder, error.message());
    const fs::path file = options.folder / kIndexFile;
    auto index = FrameIndex::open(file);
    std::string reason = "it was missing";
    if (!index && index.error().code == StatusCode::BadInput) {
        reason = index.error().message;
        index = FrameIndex::beginAnew(file);
    }
    if (!index) return folderError(options.folder, index.error().message);
    std::uint64_t found = 0;
    const Status recovered = index->exclusively([&]() -> Status {
        RB_ASSIGN(const std::vector<IndexedSegment> segments, index->segments());
        if (!segments.empty()) return tidyFolder(options.folder, *index);
        RB_ASSIGN(found, indexFolder(options.folder, *index));
        return {};
    });
    if (!recovered) return folderError(options.folder, recovered.error().message);
    std::string note;
    if (found > 0 || reason != "it was missing")
        note = fmt::format("the index of the frame cache '{}' was made again, since {}: {} frames were found",
                           options.folder.string(), reason, found);
    std::unique_ptr<DiskStore> store(new DiskStore(std::move(options), std::move(*index)));
    if (!note.empty()) store->notes_.push_back(std::move(note));
    return store;
}

DiskStore::DiskStore(DiskStoreOptions options, FrameIndex index)
    : options_(std::move(options)),
      index_(std::move(index)),
      room_(options_.folder, options_.limitBytes, options_.segmentBytes) {
    reading_.limitBytes = options_.limitBytes;
}

DiskStore::~DiskStore() {
    const std::lock_guard lock(mutex_);
    (void)flushTouches();  // the order of eviction is all that it would cost
}

std::optional<StoredFrame> DiskStore::find(const FrameKey& key) {
    std::optional<FramePlace> place;
    {
        const std::lock_guard lock(mutex_);
        auto found = index_.find(key);
        if (found) place = *found;
    }
    if (!place) return std::nullopt;
    const std::shared_ptr<SegmentFile> segment =
        SegmentFile::open(SegmentFile::pathOf(options_.folder, place->segment));
    const auto record = segment ? segment->recordAt(place->offset) : std::nullopt;
    if (record && record->key == key) return StoredFrame{*record, *place, segment};
    forget(key, *place);
    return std::nullopt;
}

bool DiskStore::contains(const FrameKey& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(key);
    return found && found->has_value();
}

Result<std::vector<std::pair<FrameRecord, FramePlace>>> DiskStore::chainOf(const StoredFrame& stored,
                                                                           std::span<std::byte> frame,
                                                                           const BaseSource& base) {
    std::vector<std::pair<FrameRecord, FramePlace>> chain{{stored.record, stored.place}};
    for (;;) {
        const auto& [record, place] = chain.back();
        if (record.chain == 0 || (base && base(record.baseKey, record.shape, frame))) return chain;
        const auto before = stored.segment->recordAt(record.baseOffset);
        // Each step leads towards the beginning and a key frame, whatever the file holds.
        if (!before || before->key != record.baseKey || before->shape != record.shape ||
            before->chain >= record.chain || record.baseOffset >= place.offset)
            return fail(StatusCode::BadInput, "a frame of the cache lacks the one that it is a difference to");
        chain.emplace_back(*before, FramePlace{place.segment, record.baseOffset});
    }
}

Status DiskStore::read(const StoredFrame& stored, std::span<std::byte> frame, const BaseSource& base) {
    RB_TRY(checkFrame({stored.record.shape, frame}));
    std::uint64_t packedBytes = 0;
    const auto unpack = [&]() -> Status {
        RB_ASSIGN(const auto chain, chainOf(stored, frame, base));
        for (auto step = chain.rbegin(); step != chain.rend(); ++step) {
            const auto payload = stored.segment->payloadOf(step->first, step->second.offset);
            if (!payload) {
                if (step != chain.rend() - 1) forget(step->first.key, step->second);
                return fail(StatusCode::BadInput, "a frame of the cache is torn or damaged");
            }
            RB_TRY(unpackFrame(step->first.shape, *payload, frame));
            packedBytes += payload->size();
        }
        return {};
    };
    Status unpacked = unpack();
    if (!unpacked) forget(stored.record.key, stored.place);
    const std::lock_guard lock(mutex_);
    reading_.packedBytesIn += packedBytes;
    reading_.rawBytesIn += unpacked ? frame.size() : 0;
    return unpacked;
}

void DiskStore::forget(const FrameKey& key, const FramePlace& place) {
    const std::lock_guard lock(mutex_);
    // Where even that fails, it is found damaged again.
    (void)index_.erase(key, place);
    ++reading_.damaged;
}

void DiskStore::touch(const FrameKey& key) {
    const std::lock_guard lock(mutex_);
    touches_[key] = nowMs();
    if (touches_.size() >= kMostTouches) (void)flushTouches();
}

Status DiskStore::flushTouches() {
    const std::vector<std::pair<FrameKey, std::int64_t>> touches(touches_.begin(), touches_.end());
    touches_.clear();
    if (touches.empty()) return {};
    return index_.exclusively([&] { return index_.touch(touches); });
}

std::optional<FrameKey> DiskStore::nextBase(const FrameShape& shape) const {
    const std::lock_guard lock(writing_);
    if (!last_ || last_->record.shape != shape || last_->record.chain >= options_.longestChain) return std::nullopt;
    return last_->record.key;
}

DiskStore::Written DiskStore::write(const FrameKey& key, const FrameView& frame, const FrameNotes& notes,
                                    const std::optional<BaseFrame>& base) {
    const std::lock_guard writing(writing_);
    {
        const std::lock_guard lock(mutex_);
        if (!reading_.isWriting) return Written::Off;
    }
    FrameRecord record;
    record.key = key;
    record.shape = frame.shape;
    record.notes = notes;
    const bool isBase = base && last_ && last_->record.key == base->key && last_->record.shape == frame.shape &&
                        last_->record.chain < options_.longestChain && base->bytes.size() == frame.bytes.size();
    try {
        const auto written = writePacked(record, frame, isBase ? base : std::nullopt);
        if (written) return *written;
        stopWriting(written.error());
        return Written::Off;
    } catch (const std::bad_alloc&) {
        return Written::NoRoom;
    }
}

Result<DiskStore::Written> DiskStore::writePacked(FrameRecord record, const FrameView& frame,
                                                  const std::optional<BaseFrame>& base) {
    PackedFrame packed = packFrame(frame, base ? base->bytes : std::span<const std::byte>());
    setPayload(record, packed.bytes);
    std::optional<FramePlace> place;
    const auto reserve = [&]() -> Status {
        RB_ASSIGN(place, room_.reserve(index_, record.storedBytes()));
        return {};
    };
    {
        const std::lock_guard lock(mutex_);
        RB_TRY(flushTouches());
        RB_TRY(index_.exclusively(reserve));
    }
    const bool isAfterBase =
        place && last_ && place->segment == last_->place.segment && place->offset > last_->place.offset;
    if (place && packed.usesBase && !isAfterBase) {  // a new segment begins with a key frame
        room_.giveBack(*place);
        return writePacked(record, frame, std::nullopt);
    }
    if (!place) return Written::NoRoom;
    if (packed.usesBase) {
        record.baseKey = last_->record.key;
        record.baseOffset = last_->place.offset;
        record.chain = static_cast<std::uint8_t>(last_->record.chain + 1);
    }
    if (const Status appended = room_.segment().append(record, packed.bytes, place->offset, options_.write);
        !appended) {
        (void)room_.segment().cut(place->offset);  // half a frame need not fill a full disk
        return fail(appended.error());
    }
    const std::lock_guard lock(mutex_);
    RB_TRY(index_.put({.key = record.key,
                       .place = *place,
                       .storedBytes = record.storedBytes(),
                       .rawBytes = frame.bytes.size(),
                       .repaintSeconds = record.notes.repaintSeconds,
                       .quality = record.notes.quality,
                       .usedMs = nowMs()}));
    last_ = Last{record, *place};
    reading_.rawBytesOut += frame.bytes.size();
    reading_.packedBytesOut += record.storedBytes();
    reading_.deltasOut += packed.usesBase ? 1 : 0;
    reading_.removedSegments = room_.removedSegments();
    return Written::Yes;
}

void DiskStore::stopWriting(const Error& error) {
    const std::lock_guard lock(mutex_);
    reading_.isWriting = false;
    last_.reset();
    notes_.push_back(fmt::format("the frame cache in '{}' stops writing, since {}; frames are kept in memory only",
                                 options_.folder.string(), error.message));
}

Result<std::uint64_t> DiskStore::clear() {
    const std::lock_guard writing(writing_);
    const std::lock_guard lock(mutex_);
    last_.reset();
    touches_.clear();
    std::uint64_t left = 0;
    RB_TRY(index_.exclusively([&]() -> Status {
        RB_ASSIGN(left, room_.clear(index_));
        return {};
    }));
    return left;
}

DiskStore::Reading DiskStore::reading() const {
    const std::lock_guard lock(mutex_);
    Reading reading = reading_;
    if (auto totals = index_.totals()) reading.totals = *totals;
    return reading;
}

std::vector<std::string> DiskStore::takeNotes() {
    const std::lock_guard lock(mutex_);
    return std::exchange(notes_, {});
}

}  // namespace reelbrush::cache
