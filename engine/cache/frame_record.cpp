#include "engine/cache/frame_record.h"

#include <xxhash.h>

#include <cmath>
#include <cstring>
#include <type_traits>

namespace reelbrush::cache {

namespace {

constexpr std::uint64_t kMagic = 0x314d4152'46425221;  // raised with every change of the form or of the packing

struct Stored {
    std::uint64_t magic = kMagic;
    std::uint64_t keyHigh = 0, keyLow = 0, baseKeyHigh = 0, baseKeyLow = 0, baseOffset = 0;
    std::uint64_t payloadBytes = 0, payloadHashHigh = 0, payloadHashLow = 0;
    double repaintSeconds = 0, entropyBits = 0;
    std::int32_t width = 0, height = 0, channels = 0;
    std::uint8_t type = 0, quality = 0, chain = 0, unused = 0;
    std::uint64_t unusedToo[2] = {};
    std::uint64_t hash = 0;  ///< of all before it
};
static_assert(sizeof(Stored) == kRecordHeaderBytes && std::is_trivially_copyable_v<Stored>);

std::uint64_t hashOf(const Stored& stored) {
    return XXH3_64bits(&stored, sizeof(Stored) - sizeof stored.hash);
}

}  // namespace

std::uint64_t FrameRecord::storedBytes() const {
    return kRecordHeaderBytes + payloadBytes;
}

void writeHeader(const FrameRecord& record, std::span<std::byte, kRecordHeaderBytes> header) {
    Stored stored;
    stored.keyHigh = record.key.high;
    stored.keyLow = record.key.low;
    stored.baseKeyHigh = record.baseKey.high;
    stored.baseKeyLow = record.baseKey.low;
    stored.baseOffset = record.baseOffset;
    stored.payloadBytes = record.payloadBytes;
    stored.payloadHashHigh = record.payloadHashHigh;
    stored.payloadHashLow = record.payloadHashLow;
    stored.repaintSeconds = record.notes.repaintSeconds;
    stored.entropyBits = record.notes.entropyBits;
    stored.width = record.shape.width;
    stored.height = record.shape.height;
    stored.channels = record.shape.channels;
    stored.type = static_cast<std::uint8_t>(record.shape.type);
    stored.quality = static_cast<std::uint8_t>(record.notes.quality);
    stored.chain = record.chain;
    stored.hash = hashOf(stored);
    std::memcpy(header.data(), &stored, sizeof stored);
}

std::optional<FrameRecord> readHeader(std::span<const std::byte, kRecordHeaderBytes> header) {
    Stored stored;
    std::memcpy(&stored, header.data(), sizeof stored);
    if (stored.magic != kMagic || stored.hash != hashOf(stored)) return std::nullopt;
    FrameRecord record;
    record.key = {stored.keyHigh, stored.keyLow};
    record.shape = {static_cast<SampleType>(stored.type), stored.width, stored.height, stored.channels};
    record.notes = {static_cast<FrameQuality>(stored.quality), stored.repaintSeconds, stored.entropyBits};
    record.payloadBytes = stored.payloadBytes;
    record.baseKey = {stored.baseKeyHigh, stored.baseKeyLow};
    record.baseOffset = stored.baseOffset;
    record.chain = stored.chain;
    record.payloadHashHigh = stored.payloadHashHigh;
    record.payloadHashLow = stored.payloadHashLow;
    // A sound hash is no promise of sense: the file may be from elsewhere.
    const std::size_t sizeBytes = record.shape.sizeBytes();
    if (sizeBytes == 0 || stored.quality > 1 || record.payloadBytes > 2 * sizeBytes + 4096) return std::nullopt;
    if (!(record.notes.repaintSeconds >= 0) || !std::isfinite(record.notes.entropyBits)) return std::nullopt;
    return record;
}

void setPayload(FrameRecord& record, std::span<const std::byte> payload) {
    const XXH128_hash_t hash = XXH3_128bits(payload.data(), payload.size());
    record.payloadBytes = payload.size();
    record.payloadHashHigh = hash.high64;
    record.payloadHashLow = hash.low64;
}

bool isPayloadOf(const FrameRecord& record, std::span<const std::byte> payload) {
    const XXH128_hash_t hash = XXH3_128bits(payload.data(), payload.size());
    return payload.size() == record.payloadBytes && hash.high64 == record.payloadHashHigh &&
           hash.low64 == record.payloadHashLow;
}

}  // namespace reelbrush::cache
