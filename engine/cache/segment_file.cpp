#include "engine/cache/segment_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>

namespace reelbrush::cache {

namespace {

constexpr const char* kEnding = ".frames";
constexpr std::size_t kIdDigits = 16;

tl::unexpected<Error> ioError(const std::filesystem::path& file, const char* what, int code) {
    return fail(StatusCode::Io, fmt::format("'{}' cannot be {}: {}", file.string(), what, std::strerror(code)));
}

Status writeAll(int file, std::span<const std::byte> bytes, std::uint64_t offset, const WriteBytes& write,
                const std::filesystem::path& path) {
    while (!bytes.empty()) {
        errno = 0;
        const std::int64_t written = write(file, bytes.data(), bytes.size(), static_cast<std::int64_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return ioError(path, "written", errno ? errno : ENOSPC);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
        offset += static_cast<std::uint64_t>(written);
    }
    return {};
}

}  // namespace

SegmentFile::~SegmentFile() {
    ::close(file_);
}

std::filesystem::path SegmentFile::pathOf(const std::filesystem::path& folder, std::int64_t id) {
    return folder / fmt::format("{:0{}x}{}", id, kIdDigits, kEnding);
}

std::optional<std::int64_t> SegmentFile::idOf(const std::filesystem::path& file) {
    const std::string stem = file.stem().string();
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), id, 16);
    const bool isId = file.extension() == kEnding && stem.size() == kIdDigits && error == std::errc() &&
                      end == stem.data() + stem.size() && id > 0;
    return isId ? std::optional(id) : std::nullopt;
}

Result<std::unique_ptr<SegmentFile>> SegmentFile::create(const std::filesystem::path& file, bool& alreadyExists) {
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    alreadyExists = descriptor < 0 && errno == EEXIST;
    if (descriptor < 0) return ioError(file, "created", errno);
    std::unique_ptr<SegmentFile> segment(new SegmentFile(descriptor, file));
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) return ioError(file, "locked", errno);
    return segment;
}

std::unique_ptr<SegmentFile> SegmentFile::lock(const std::filesystem::path& file) {
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return nullptr;
    std::unique_ptr<SegmentFile> segment(new SegmentFile(descriptor, file));
    return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? std::move(segment) : nullptr;
}

std::unique_ptr<SegmentFile> SegmentFile::open(const std::filesystem::path& file) {
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return nullptr;
    return std::unique_ptr<SegmentFile>(new SegmentFile(descriptor, file));
}

std::uint64_t SegmentFile::sizeBytes() const {
    struct stat status = {};
    return ::fstat(file_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

Status SegmentFile::cut(std::uint64_t sizeBytes) {
    if (::ftruncate(file_, static_cast<off_t>(sizeBytes)) != 0) return ioError(path_, "shortened", errno);
    return {};
}

Status SegmentFile::append(const FrameRecord& record, std::span<const std::byte> payload, std::uint64_t offset,
                           const WriteBytes& write) {
    std::array<std::byte, kRecordHeaderBytes> header;
    writeHeader(record, header);
    RB_TRY(writeAll(file_, header, offset, write, path_));
    return writeAll(file_, payload, offset + header.size(), write, path_);
}

std::optional<FrameRecord> SegmentFile::recordAt(std::uint64_t offset) const {
    std::array<std::byte, kRecordHeaderBytes> header;
    return readAt(offset, header) ? readHeader(header) : std::nullopt;
}

std::optional<std::vector<std::byte>> SegmentFile::payloadOf(const FrameRecord& record, std::uint64_t offset) const {
    if (offset + record.storedBytes() > sizeBytes()) return std::nullopt;
    std::vector<std::byte> payload(record.payloadBytes);
    if (!readAt(offset + kRecordHeaderBytes, payload) || !isPayloadOf(record, payload)) return std::nullopt;
    return payload;
}

std::vector<SegmentFile::Found> SegmentFile::scan() const {
    std::vector<Found> all;
    const std::uint64_t size = sizeBytes();
    for (std::uint64_t offset = 0; offset < size;) {
        const auto record = recordAt(offset);
        if (!record || record->storedBytes() > size - offset) break;
        all.push_back({offset, *record});
        offset += record->storedBytes();
    }
    return all;
}

bool SegmentFile::readAt(std::uint64_t offset, std::span<std::byte> bytes) const {
    while (!bytes.empty()) {
        const ssize_t count = ::pread(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(count));
        offset += static_cast<std::uint64_t>(count);
    }
    return true;
}

}  // namespace reelbrush::cache
