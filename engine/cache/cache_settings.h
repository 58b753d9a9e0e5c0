#pragma once

#include "engine/cache/disk_store.h"

#include <cstdint>
#include <filesystem>

namespace reelbrush::cache {

/// "frames" in the user's cache folder ($XDG_CACHE_HOME/reelbrush).
std::filesystem::path defaultFrameFolder();

/// Whether frames were kept there.
bool isFrameFolder(const std::filesystem::path& folder);

/// 20 GB, or a tenth of what the disk would have free without this cache, whichever is less.
/// folder: need not exist yet.
std::uint64_t defaultLimitBytes(const std::filesystem::path& folder);

/// A folder with the defaults for the rest; empty: the default folder.
DiskStoreOptions userDisk(const std::filesystem::path& folder = {});

}  // namespace reelbrush::cache
