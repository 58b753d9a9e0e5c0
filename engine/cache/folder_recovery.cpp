#include "engine/cache/folder_recovery.h"

#include "engine/cache/segment_file.h"
#include "engine/cache/segment_room.h"

#include <algorithm>
#include <map>
#include <system_error>

namespace reelbrush::cache {

namespace {

namespace fs = std::filesystem;

/// By number, thus by age.
std::map<std::int64_t, fs::path> segmentFiles(const fs::path& folder) {
    std::map<std::int64_t, fs::path> files;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        if (const auto id = SegmentFile::idOf(entry->path())) files[*id] = entry->path();
    return files;
}

}  // namespace

Status tidyFolder(const fs::path& folder, FrameIndex& index) {
    RB_ASSIGN(const std::vector<IndexedSegment> segments, index.segments());
    auto unknown = segmentFiles(folder);
    for (const IndexedSegment& segment : segments) {
        const auto file = unknown.find(segment.id);
        if (file == unknown.end()) {
            RB_TRY(index.eraseSegment(segment.id));
            continue;
        }
        if (const auto lock = SegmentFile::lock(file->second); lock && lock->sizeBytes() != segment.sizeBytes)
            RB_TRY(index.setSegment({segment.id, lock->sizeBytes()}));
        unknown.erase(file);
    }
    std::error_code ignored;
    for (const auto& [id, file] : unknown)
        if (const auto lock = SegmentFile::lock(file)) fs::remove(file, ignored);
    return {};
}

Result<std::uint64_t> indexFolder(const fs::path& folder, FrameIndex& index) {
    for (const auto& [id, file] : segmentFiles(folder)) {
        const auto segment = SegmentFile::open(file);
        if (!segment) continue;
        RB_TRY(index.setSegment({id, segment->sizeBytes()}));
        for (const auto& [offset, record] : segment->scan())
            RB_TRY(index.put({.key = record.key,
                              .place = {id, offset},
                              .storedBytes = record.storedBytes(),
                              .rawBytes = record.shape.sizeBytes(),
                              .repaintSeconds = record.notes.repaintSeconds,
                              .quality = record.notes.quality,
                              .usedMs = nowMs()}));
    }
    RB_ASSIGN(const FrameIndex::Totals totals, index.totals());
    return totals.frames;
}

}  // namespace reelbrush::cache
