#pragma once

#include "engine/cache/frame_record.h"
#include "engine/core/status.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace reelbrush::cache {

/// Writes bytes at an offset and returns how many, or -1 with errno: pwrite, or a test's disk that is full.
using WriteBytes =
    std::function<std::int64_t(int file, const std::byte* bytes, std::size_t count, std::int64_t offset)>;

/// One file of packed frames, one after another. Who appends holds a lock on it that ends with the process, so that
/// others neither append to it nor remove it; reading needs none, and what is removed stays readable while it is open.
/// Thread: append one at a time; reading any.
class SegmentFile {
  public:
    ~SegmentFile();
    SegmentFile(const SegmentFile&) = delete;
    SegmentFile& operator=(const SegmentFile&) = delete;

    /// "000000000000002a.frames"
    static std::filesystem::path pathOf(const std::filesystem::path& folder, std::int64_t id);
    /// Nothing where the name is none of a segment.
    static std::optional<std::int64_t> idOf(const std::filesystem::path& file);

    /// A new file, locked. Errors: Io; `alreadyExists` then tells whether only the name is taken.
    static Result<std::unique_ptr<SegmentFile>> create(const std::filesystem::path& file, bool& alreadyExists);
    /// An existing one, locked. Nothing where another holds the lock, or it cannot be opened.
    static std::unique_ptr<SegmentFile> lock(const std::filesystem::path& file);
    /// To read. Nothing where it cannot be opened.
    static std::unique_ptr<SegmentFile> open(const std::filesystem::path& file);

    std::uint64_t sizeBytes() const;
    /// Cuts off what follows. Errors: Io.
    Status cut(std::uint64_t sizeBytes);

    /// The record and its payload, at the offset. Errors: Io; what was written of it stays as a torn record.
    Status append(const FrameRecord& record, std::span<const std::byte> payload, std::uint64_t offset,
                  const WriteBytes& write);
    /// Nothing where there is no whole header.
    std::optional<FrameRecord> recordAt(std::uint64_t offset) const;
    /// Nothing where it is torn or damaged.
    std::optional<std::vector<std::byte>> payloadOf(const FrameRecord& record, std::uint64_t offset) const;

    struct Found {
        std::uint64_t offset = 0;
        FrameRecord record;
    };
    /// Every record from the beginning to the first that is torn. Payloads are not read.
    std::vector<Found> scan() const;

  private:
    SegmentFile(int file, std::filesystem::path path) : file_(file), path_(std::move(path)) {}
    bool readAt(std::uint64_t offset, std::span<std::byte> bytes) const;

    int file_;
    std::filesystem::path path_;
};

}  // namespace reelbrush::cache
