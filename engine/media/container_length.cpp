#include "engine/media/container_length.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <fstream>
#include <string_view>
#include <system_error>

namespace reelbrush::media {

namespace {

constexpr std::uint32_t kEbmlId = 0x1A45DFA3, kSegmentId = 0x18538067, kExrMagic = 20000630;
/// Far more outermost boxes than any whole file has; a fragmented recording of days stays below.
constexpr int kMostElements = 4'000'000;

class FileBytes {
  public:
    explicit FileBytes(const std::filesystem::path& path) : file_(path, std::ios::binary) {
        std::error_code error;
        size_ = std::filesystem::file_size(path, error);
        if (error) size_ = 0;
    }
    std::uint64_t size() const { return size_; }
    /// Up to 16 bytes at a position; zeros beyond the end.
    const std::array<unsigned char, 16>& at(std::uint64_t position) {
        bytes_ = {};
        file_.clear();
        file_.seekg(static_cast<std::streamoff>(position));
        file_.read(reinterpret_cast<char*>(bytes_.data()), static_cast<std::streamsize>(bytes_.size()));
        return bytes_;
    }

  private:
    std::ifstream file_;
    std::uint64_t size_ = 0;
    std::array<unsigned char, 16> bytes_{};
};

std::uint64_t bigEndian(const unsigned char* bytes, int count) {
    std::uint64_t value = 0;
    for (int i = 0; i < count; ++i) value = value << 8 | bytes[i];
    return value;
}

std::string_view tagAt(const std::array<unsigned char, 16>& bytes, std::size_t offset) {
    return {reinterpret_cast<const char*>(bytes.data()) + offset, 4};
}

bool isCutShortMp4(FileBytes& file) {
    std::uint64_t position = 0;
    for (int i = 0; i < kMostElements && position < file.size(); ++i) {
        const auto& head = file.at(position);
        std::uint64_t length = bigEndian(head.data(), 4);
        if (length == 0) return false;  // to the end of the file
        if (length == 1) length = bigEndian(head.data() + 8, 8);
        if (length < 8) return false;  // no box: what stands here is nothing that was promised
        if (length > file.size() - position) return true;
        position += length;
    }
    return false;
}

/// A Matroska length: the leading zero bits say how many bytes it has; all ones mean unknown.
struct EbmlLength {
    std::uint64_t value = 0;
    int bytes = 0;
    bool known = false;
};

EbmlLength ebmlLength(const unsigned char* bytes) {
    const int count = std::countl_zero(bytes[0]) + 1;
    if (count > 8) return {};
    const std::uint64_t mask = (std::uint64_t{1} << (7 * count)) - 1;
    const std::uint64_t value = bigEndian(bytes, count) & mask;
    return {value, count, value != mask};
}

bool isCutShortMatroska(FileBytes& file) {
    const EbmlLength header = ebmlLength(file.at(0).data() + 4);
    if (!header.known) return false;
    const std::uint64_t segment = 4 + static_cast<std::uint64_t>(header.bytes) + header.value;
    const auto& head = file.at(segment);
    if (bigEndian(head.data(), 4) != kSegmentId) return false;
    const EbmlLength length = ebmlLength(head.data() + 4);
    return length.known && segment + 4 + static_cast<std::uint64_t>(length.bytes) + length.value > file.size();
}

/// AVI files above 1 GB are several RIFF chunks in a row.
bool isCutShortRiff(FileBytes& file) {
    std::uint64_t position = 0;
    while (position + 12 <= file.size()) {
        const auto& head = file.at(position);
        if (tagAt(head, 0) != "RIFF") return false;
        const std::uint64_t length = head[4] | head[5] << 8 | head[6] << 16 | std::uint64_t{head[7]} << 24;
        if (length == 0) return false;  // never finished: nothing is promised
        position += 8 + length + (length & 1);
        if (position > file.size() + 1) return true;
    }
    return false;
}

std::uint64_t littleEndian(const unsigned char* bytes, int count) {
    std::uint64_t value = 0;
    for (int i = count - 1; i >= 0; --i) value = value << 8 | bytes[i];
    return value;
}

/// Position behind a zero-terminated name; 0 where there is none.
std::uint64_t behindName(FileBytes& file, std::uint64_t position) {
    for (const std::uint64_t end = position + 256; position < end; ++position)
        if (file.at(position)[0] == 0) return position + 1;
    return 0;
}

/// OpenEXR: the header is followed by the positions of all chunks. Only files of one part are judged.
bool isCutShortExr(FileBytes& file) {
    const std::uint64_t flags = littleEndian(file.at(0).data() + 4, 4);
    constexpr std::uint64_t kTiled = 0x200, kDeepOrMultipart = 0x1800;
    if (flags & kDeepOrMultipart) return false;
    std::uint64_t position = 8;
    while (file.at(position)[0] != 0) {
        const std::uint64_t type = behindName(file, position);
        const std::uint64_t size = type == 0 ? 0 : behindName(file, type);
        if (size == 0) return false;
        position = size + 4 + littleEndian(file.at(size).data(), 4);
        if (position >= file.size()) return true;
    }
    const std::uint64_t table = position + 1;
    const std::uint64_t sizeOffset = flags & kTiled ? 16 : 4;
    std::uint64_t tableEnd = table + 8;  // the table ends where the first chunk begins
    for (std::uint64_t entry = table; entry < tableEnd; entry += 8) {
        const std::uint64_t chunk = littleEndian(file.at(entry).data(), 8);
        if (chunk <= entry || chunk >= file.size()) return true;
        tableEnd = entry == table ? chunk : std::min(tableEnd, chunk);
        const std::uint64_t length = littleEndian(file.at(chunk + sizeOffset).data(), 4);
        if (chunk + sizeOffset + 4 + length > file.size()) return true;
    }
    return false;
}

}  // namespace

bool isCutShort(const std::filesystem::path& path) {
    FileBytes file(path);
    const auto head = file.at(0);
    if (bigEndian(head.data(), 4) == kEbmlId) return isCutShortMatroska(file);
    if (tagAt(head, 0) == "RIFF") return isCutShortRiff(file);
    if (littleEndian(head.data(), 4) == kExrMagic) return isCutShortExr(file);
    const std::string_view tag = tagAt(head, 4);
    if (tag == "ftyp" || tag == "moov" || tag == "mdat" || tag == "wide" || tag == "free" || tag == "skip")
        return isCutShortMp4(file);
    return false;
}

}  // namespace reelbrush::media
