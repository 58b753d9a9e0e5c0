#pragma once

#include "engine/cache/frame_format.h"
#include "engine/cache/frame_key.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace reelbrush::cache {

/// What precedes each packed frame in a segment file: enough to use it, and to find it again without an index. In this
/// machine's byte order, since a cache never leaves its machine.
struct FrameRecord {
    FrameKey key;
    FrameShape shape;
    FrameNotes notes;
    std::uint64_t payloadBytes = 0;
    /// The frame that this one is a difference to, in the same segment, before this one.
    FrameKey baseKey;
    std::uint64_t baseOffset = 0;
    std::uint8_t chain = 0;  ///< frames that have to be unpacked before this one; 0: none, a key frame
    /// XXH3 of the payload.
    std::uint64_t payloadHashHigh = 0, payloadHashLow = 0;

    std::uint64_t storedBytes() const;
};

/// What a record takes in the file before its payload.
inline constexpr std::size_t kRecordHeaderBytes = 128;

/// header: kRecordHeaderBytes, closed by a hash of its own.
void writeHeader(const FrameRecord& record, std::span<std::byte, kRecordHeaderBytes> header);
/// Nothing where the bytes are no header, or one that was torn or has changed.
std::optional<FrameRecord> readHeader(std::span<const std::byte, kRecordHeaderBytes> header);

void setPayload(FrameRecord& record, std::span<const std::byte> payload);
bool isPayloadOf(const FrameRecord& record, std::span<const std::byte> payload);

}  // namespace reelbrush::cache
