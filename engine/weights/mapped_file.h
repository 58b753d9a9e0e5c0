#pragma once

#include "engine/core/status.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace reelbrush::weights {

/// A whole regular file mapped read-only into memory: the system reads pages when they are touched and may drop them at
/// any time. Shared by everything that holds views into it. Immutable, thread-safe.
/// A file that is cut short by another program while mapped ends this program with SIGBUS, as for every mapped file.
class MappedFile {
  public:
    /// Errors: Io (missing, unreadable), BadInput (a folder or a device).
    static Result<std::shared_ptr<const MappedFile>> open(const std::filesystem::path& path);

    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();

    std::span<const std::byte> bytes() const { return {data_, sizeBytes_}; }
    const std::filesystem::path& path() const { return path_; }

    /// Tells the system that the pages are not needed for now, which lowers the resident memory; views stay valid and
    /// are read from the file again when touched. Call it once the weights are packed.
    void dropPages() const;

  private:
    MappedFile(std::filesystem::path path, const std::byte* data, std::size_t sizeBytes);

    std::filesystem::path path_;
    const std::byte* data_;
    std::size_t sizeBytes_;
};

}  // namespace reelbrush::weights
