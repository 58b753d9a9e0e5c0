#pragma once

#include "engine/cache/frame_index.h"
#include "engine/core/status.h"

#include <cstdint>
#include <filesystem>

/// Brings a cache folder's index and segment files together again. Both are called within FrameIndex::exclusively().
namespace reelbrush::cache {

/// What a process that was killed left behind: files that no index knows are removed, segments without a file are
/// forgotten, and what was reserved but never written is given back. Segments that another process appends to stay.
Status tidyFolder(const std::filesystem::path& folder, FrameIndex& index);

/// Fills an index that knows no segment with every frame whose record is whole; returns how many. Payloads are checked
/// when they are read. Of two records of one frame the later counts.
Result<std::uint64_t> indexFolder(const std::filesystem::path& folder, FrameIndex& index);

}  // namespace reelbrush::cache
