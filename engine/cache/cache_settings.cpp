#include "engine/cache/cache_settings.h"

#include "engine/cache/segment_file.h"
#include "engine/core/xdg_folders.h"

#include <algorithm>
#include <system_error>

namespace reelbrush::cache {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = 20'000'000'000, kShareOfFree = 10;

std::uint64_t framesIn(const fs::path& folder) {
    std::uint64_t bytes = 0;
    std::error_code error, ignored;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        if (SegmentFile::idOf(entry->path()))
            if (const auto size = entry->file_size(ignored); !ignored) bytes += size;
    return bytes;
}

/// Of the disk that the folder is or will be on; 0 where nothing can be told.
std::uint64_t freeBytes(fs::path folder) {
    std::error_code error;
    folder = fs::absolute(folder, error);
    while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
    const fs::space_info space = fs::space(folder, error);
    return error ? 0 : space.available;
}

}  // namespace

fs::path defaultFrameFolder() {
    return cacheFolder() / "frames";
}

bool isFrameFolder(const fs::path& folder) {
    std::error_code error;
    if (fs::exists(folder / kIndexFile, error)) return true;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        if (SegmentFile::idOf(entry->path())) return true;
    return false;
}

std::uint64_t defaultLimitBytes(const fs::path& folder) {
    return std::min(kMostBytes, (freeBytes(folder) + framesIn(folder)) / kShareOfFree);
}

DiskStoreOptions userDisk(const fs::path& folder) {
    DiskStoreOptions options;
    options.folder = folder.empty() ? defaultFrameFolder() : folder;
    options.limitBytes = defaultLimitBytes(options.folder);
    return options;
}

}  // namespace reelbrush::cache
