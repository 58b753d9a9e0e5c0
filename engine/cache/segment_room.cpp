#include "engine/cache/segment_room.h"

#include "engine/cache/retention_score.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <system_error>
#include <vector>

namespace reelbrush::cache {

namespace {

/// The least worth first.
Result<std::vector<IndexedSegment>> byWorth(const FrameIndex& index) {
    RB_ASSIGN(std::vector<IndexedSegment> segments, index.segments());
    RB_ASSIGN(const std::vector<IndexedFrame> frames, index.frames());
    std::map<std::int64_t, double> sizes, worth;
    for (const IndexedSegment& segment : segments) sizes[segment.id] = static_cast<double>(segment.sizeBytes);
    const std::int64_t now = nowMs();
    for (const IndexedFrame& frame : frames)
        worth[frame.place.segment] +=
            diskWorth(frame.repaintSeconds, sizes[frame.place.segment], static_cast<double>(now - frame.usedMs) / 1000);
    std::ranges::stable_sort(segments, {}, [&](const IndexedSegment& segment) { return worth[segment.id]; });
    return segments;
}

}  // namespace

std::int64_t nowMs() {
    const auto time = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

SegmentRoom::SegmentRoom(std::filesystem::path folder, std::uint64_t limitBytes, std::uint64_t segmentBytes)
    : folder_(std::move(folder)), limitBytes_(limitBytes), segmentBytes_(std::min(segmentBytes, limitBytes / 8)) {}

Result<std::optional<FramePlace>> SegmentRoom::reserve(FrameIndex& index, std::uint64_t bytes) {
    if (bytes > limitBytes_) return std::optional<FramePlace>();
    if (segment_ && end_ > 0 && end_ + bytes > segmentBytes_) leave();
    RB_TRY(makeRoom(index, bytes));
    RB_ASSIGN(const std::uint64_t used, index.segmentBytes());
    if (used + bytes > limitBytes_) return std::optional<FramePlace>();
    if (!segment_) RB_TRY(begin(index, bytes));
    const FramePlace place{id_, end_};
    end_ += bytes;
    RB_TRY(index.setSegment({id_, end_}));
    return std::optional(place);
}

void SegmentRoom::giveBack(const FramePlace& place) {
    if (segment_ && place.segment == id_) end_ = place.offset;
}

Status SegmentRoom::begin(FrameIndex& index, std::uint64_t bytes) {
    RB_ASSIGN(const std::vector<IndexedSegment> segments, index.segments());
    // A program that ran before may have left one that is far from full.
    for (auto last = segments.rbegin(); last != segments.rend(); ++last) {
        if (last->sizeBytes + bytes > segmentBytes_) continue;
        auto segment = SegmentFile::lock(SegmentFile::pathOf(folder_, last->id));
        if (!segment) continue;
        RB_ASSIGN(end_, index.endOf(last->id));
        RB_TRY(segment->cut(std::min(end_, segment->sizeBytes())));
        segment_ = std::move(segment);
        id_ = last->id;
        return {};
    }
    for (std::int64_t id = segments.empty() ? 1 : segments.back().id + 1;; ++id) {
        bool alreadyExists = false;
        auto segment = SegmentFile::create(SegmentFile::pathOf(folder_, id), alreadyExists);
        if (alreadyExists) continue;
        RB_TRY(segment);
        segment_ = std::move(*segment);
        id_ = id;
        end_ = 0;
        return {};
    }
}

Status SegmentRoom::makeRoom(FrameIndex& index, std::uint64_t bytes) {
    RB_ASSIGN(std::uint64_t used, index.segmentBytes());
    if (used + bytes <= limitBytes_) return {};
    RB_ASSIGN(const std::vector<IndexedSegment> segments, byWorth(index));
    for (const IndexedSegment& segment : segments) {
        if (used + bytes <= limitBytes_) return {};
        if (segment_ && segment.id == id_) continue;
        RB_ASSIGN(const bool isRemoved, remove(index, segment.id));
        if (isRemoved) used -= segment.sizeBytes;
    }
    if (used + bytes <= limitBytes_ || !segment_) return {};
    const std::int64_t own = id_;  // nothing else is left
    leave();
    RB_ASSIGN(const bool isRemoved, remove(index, own));
    (void)isRemoved;
    return {};
}

Result<bool> SegmentRoom::remove(FrameIndex& index, std::int64_t id) {
    const std::filesystem::path file = SegmentFile::pathOf(folder_, id);
    std::error_code error;
    const auto lock = SegmentFile::lock(file);
    if (!lock && std::filesystem::exists(file, error)) return false;
    std::filesystem::remove(file, error);
    if (error) return false;
    RB_TRY(index.eraseSegment(id));
    ++removed_;
    return true;
}

void SegmentRoom::leave() {
    segment_.reset();
    id_ = 0;
    end_ = 0;
}

Result<std::uint64_t> SegmentRoom::clear(FrameIndex& index) {
    leave();
    RB_ASSIGN(const std::vector<IndexedSegment> segments, index.segments());
    std::uint64_t left = 0;
    for (const IndexedSegment& segment : segments) {
        RB_ASSIGN(const bool isRemoved, remove(index, segment.id));
        left += isRemoved ? 0 : 1;
    }
    return left;
}

}  // namespace reelbrush::cache
