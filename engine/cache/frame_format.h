#pragma once

#include "engine/core/status.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace reelbrush::cache {

/// How one sample is stored. Bits10: 0 to 1023 in the low bits of 16, as Bits16 in the machine's byte order.
enum class SampleType : std::uint8_t { Bits8 = 1, Bits10 = 2, Bits16 = 3, Float16 = 4, Float32 = 5 };

std::size_t bytesOf(SampleType type);
const char* nameOf(SampleType type);

/// A picture (interleaved RGB or RGBA) or a latent or painting, [height, width, channels], rows without gaps.
struct FrameShape {
    SampleType type = SampleType::Bits8;
    std::int32_t width = 0, height = 0;
    std::int32_t channels = 0;  ///< 1 to 64; pictures 3 or 4

    /// 0 where the shape is none: a side below 1 or above 65,536, or another number of channels.
    std::size_t sizeBytes() const;
    std::size_t rowBytes() const;
    bool operator==(const FrameShape&) const = default;
};

/// Coarse: a first sketch that a final painting will replace.
enum class FrameQuality : std::uint8_t { Coarse = 0, Final = 1 };

/// What is known of a frame besides its samples.
struct FrameNotes {
    FrameQuality quality = FrameQuality::Final;
    double repaintSeconds = 0;  ///< what painting it again would take; 0 and more
    /// Bits that a byte carries, 0 to 8; below 0: not known, the cache estimates it (see information.h).
    double entropyBits = -1;
};

/// A frame in the caller's memory.
struct FrameView {
    FrameShape shape;
    std::span<const std::byte> bytes;  ///< shape.sizeBytes()
};

/// Errors: BadInput where shape and bytes do not agree, with both.
Status checkFrame(const FrameView& frame);

}  // namespace reelbrush::cache
