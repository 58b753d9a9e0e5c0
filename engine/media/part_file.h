#pragma once

#include "engine/core/status.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace reelbrush::media {

/// How far the work has come when a write fails, so that the message can say how much room is still missing.
struct WorkDone {
    std::int64_t done = 0;
    std::int64_t total = 0;  ///< 0: unknown
};

/// A file that grows under a hidden temporary name in its target's folder (".clip.part-4711.mp4" for "clip.mp4") and
/// takes the target's name only when whole: commit() syncs and renames. Destroyed without commit() it leaves nothing.
/// A file that already has the target's name stays untouched until the rename. Not thread-safe.
class PartFile {
  public:
    /// Errors: Io (folder missing or unwritable; the target is a folder or a device).
    static Result<std::unique_ptr<PartFile>> create(const std::filesystem::path& target);
    ~PartFile();
    PartFile(const PartFile&) = delete;
    PartFile& operator=(const PartFile&) = delete;

    /// Writes at the cursor and moves it. False where the system refused: failure() then says why, and every later
    /// write is refused too, so that a writer that ignores one error cannot hide it.
    bool write(std::span<const std::uint8_t> bytes);
    bool seek(std::int64_t position);
    std::int64_t position() const { return position_; }
    std::int64_t size() const { return size_; }
    bool failed() const { return errorNumber_ != 0; }
    /// Io: what the system said, how much was written, what is free and, from `work`, about how much more is needed.
    tl::unexpected<Error> failure(WorkDone work = {}) const;
    const std::filesystem::path& temporaryPath() const { return temporary_; }
    const std::filesystem::path& target() const { return target_; }

    /// Syncs, closes, renames. Errors: Io.
    Status commit(WorkDone work = {});

  private:
    PartFile(std::filesystem::path target, std::filesystem::path temporary, int descriptor);

    std::filesystem::path target_, temporary_;
    int descriptor_;
    int errorNumber_ = 0;
    std::int64_t position_ = 0, size_ = 0;
};

/// The hidden temporary name that stands for `target` in `folder`, with the same extension; `attempt` makes it another
/// one. Long names are shortened between UTF-8 characters so that the result stays a legal name.
std::filesystem::path partName(const std::filesystem::path& folder, const std::filesystem::path& target, int attempt);

/// Makes a rename in `folder` survive a power cut; best effort, since some file systems cannot.
void syncFolder(const std::filesystem::path& folder);

}  // namespace reelbrush::media
