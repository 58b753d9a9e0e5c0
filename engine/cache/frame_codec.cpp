#include "engine/cache/frame_codec.h"

#include "engine/cache/band_filter.h"

#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

namespace reelbrush::cache {

namespace {

constexpr std::size_t kBandBytes = 256 << 10;
constexpr int kLevel = 1;
/// Before each band: its filter, and how many bytes follow; as many as the band itself: they are not compressed.
constexpr std::size_t kBandHeader = 1 + sizeof(std::uint32_t);

/// Calls `each` with every band of the frame and the offset of its first byte, until it says no.
template <typename Each>
bool forEachBand(const FrameShape& shape, Each each) {
    const std::size_t rowBytes = shape.rowBytes(), height = static_cast<std::size_t>(shape.height);
    const std::size_t rowsPerBand = std::max<std::size_t>(1, kBandBytes / rowBytes);
    for (std::size_t row = 0; row < height; row += rowsPerBand) {
        const BandShape band{shape.type, static_cast<std::size_t>(shape.channels), rowBytes,
                             std::min(rowsPerBand, height - row)};
        if (!each(band, row * rowBytes)) return false;
    }
    return true;
}

std::size_t largestBand(const FrameShape& shape) {
    return std::min(std::max(kBandBytes, shape.rowBytes()), shape.sizeBytes());
}

struct FreeCompressor {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

/// Zstandard's contexts have no exceptions of their own for want of memory.
template <typename Context>
std::unique_ptr<Context, FreeCompressor> orBadAlloc(Context* context) {
    if (!context) throw std::bad_alloc();
    return std::unique_ptr<Context, FreeCompressor>(context);
}

}  // namespace

PackedFrame packFrame(const FrameView& frame, std::span<const std::byte> base) {
    const auto context = orBadAlloc(ZSTD_createCCtx());
    std::vector<std::byte> filtered(largestBand(frame.shape));
    PackedFrame packed;
    packed.bytes.reserve(frame.bytes.size() / 2);
    forEachBand(frame.shape, [&](const BandShape& band, std::size_t offset) {
        const std::size_t bandBytes = band.sizeBytes(), start = packed.bytes.size();
        const std::byte* samples = frame.bytes.data() + offset;
        const std::byte* before = base.empty() ? nullptr : base.data() + offset;
        const std::uint8_t filter = bestFilter(band, samples, before, filtered.data());
        filterBand(band, filter, samples, before, filtered.data());
        packed.usesBase |= (filter & kTemporal) != 0;

        packed.bytes.resize(start + kBandHeader + bandBytes);
        std::byte* out = packed.bytes.data() + start;
        std::size_t size =
            ZSTD_compressCCtx(context.get(), out + kBandHeader, bandBytes - 1, filtered.data(), bandBytes, kLevel);
        if (ZSTD_isError(size)) {  // no room: not smaller than it was
            size = bandBytes;
            std::memcpy(out + kBandHeader, filtered.data(), bandBytes);
        }
        const auto stored = static_cast<std::uint32_t>(size);
        out[0] = static_cast<std::byte>(filter);
        std::memcpy(out + 1, &stored, sizeof stored);
        packed.bytes.resize(start + kBandHeader + size);
        return true;
    });
    return packed;
}

Status unpackFrame(const FrameShape& shape, std::span<const std::byte> packed, std::span<std::byte> frame) {
    RB_TRY(checkFrame({shape, frame}));
    const auto context = orBadAlloc(ZSTD_createDCtx());
    std::vector<std::byte> filtered(largestBand(shape));
    const bool isWhole = forEachBand(shape, [&](const BandShape& band, std::size_t offset) {
        std::uint32_t stored = 0;
        if (packed.size() < kBandHeader) return false;
        const auto filter = static_cast<std::uint8_t>(packed[0]);
        std::memcpy(&stored, packed.data() + 1, sizeof stored);
        packed = packed.subspan(kBandHeader);
        const bool hasGreen = band.channels == 3 || band.channels == 4;
        if (filter > kAllFilters || ((filter & kColour) && !hasGreen) || stored > packed.size()) return false;
        if (stored == band.sizeBytes())
            std::memcpy(filtered.data(), packed.data(), stored);
        else if (ZSTD_decompressDCtx(context.get(), filtered.data(), band.sizeBytes(), packed.data(), stored) !=
                 band.sizeBytes())
            return false;
        packed = packed.subspan(stored);
        unfilterBand(band, filter, filtered.data(), frame.data() + offset);
        return true;
    });
    if (isWhole && packed.empty()) return {};
    return fail(StatusCode::BadInput, "a packed frame is damaged");
}

}  // namespace reelbrush::cache
