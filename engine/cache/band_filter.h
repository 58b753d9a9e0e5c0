#pragma once

#include "engine/cache/frame_format.h"

#include <cstddef>
#include <cstdint>
#include <span>

/// What makes the rows of a frame easier to compress: differences that are mostly small, their high bytes together.
/// All of it is arithmetic modulo the samples' range, so it is exact for every bit pattern, NaN included.
namespace reelbrush::cache {

/// May be combined.
enum BandFilter : std::uint8_t {
    kPlain = 0,
    kTemporal = 1,  ///< minus the same place of another frame
    kGradient = 2,  ///< minus left + upper - upper left (the Paeth filter's plane; LOCO-I, Weinberger et al. 2000)
    kColour = 4,    ///< red and blue minus green; three and four channels only
};
inline constexpr std::uint8_t kAllFilters = kTemporal | kGradient | kColour;

/// Rows of one frame, whole, from any row on; differences reach no further than the band.
struct BandShape {
    SampleType type = SampleType::Bits8;
    std::size_t channels = 0;
    std::size_t rowBytes = 0, rows = 0;

    std::size_t sizeBytes() const { return rowBytes * rows; }
};

/// samples, base (read with kTemporal only) and filtered: band.sizeBytes() each; they may not overlap.
/// Samples of more than a byte come out as zigzag numbers (kPlain: as they are) in byte planes, the lowest first.
void filterBand(const BandShape& band, std::uint8_t filter, const std::byte* samples, const std::byte* base,
                std::byte* filtered);

/// The way back. samples: on entry the base with kTemporal, else anything; filtered is overwritten.
void unfilterBand(const BandShape& band, std::uint8_t filter, std::byte* filtered, std::byte* samples);

/// The filter that leaves the least information, found on some of the rows. base: null where there is none.
/// scratch: band.sizeBytes().
std::uint8_t bestFilter(const BandShape& band, const std::byte* samples, const std::byte* base, std::byte* scratch);

}  // namespace reelbrush::cache
