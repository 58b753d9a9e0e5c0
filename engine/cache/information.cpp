#include "engine/cache/information.h"

#include "engine/cache/band_filter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace reelbrush::cache {

double byteEntropy(std::span<const std::byte> bytes) {
    // Four counts side by side: a run of equal bytes would wait for its own count each time.
    std::array<std::array<std::uint32_t, 256>, 4> counts{};
    for (std::size_t i = 0; i < bytes.size(); ++i) ++counts[i & 3][static_cast<std::size_t>(bytes[i])];
    double bits = 0;
    const auto total = static_cast<double>(bytes.size());
    for (std::size_t value = 0; value < 256; ++value) {
        const double count =
            static_cast<double>(counts[0][value]) + counts[1][value] + counts[2][value] + counts[3][value];
        if (count > 0) bits -= count / total * std::log2(count / total);
    }
    return std::clamp(bits, 0.0, 8.0);
}

double informationOf(const FrameView& frame) {
    constexpr std::size_t kBands = 8, kRows = 4;
    const FrameShape& shape = frame.shape;
    const auto height = static_cast<std::size_t>(shape.height);
    const BandShape band{shape.type, static_cast<std::size_t>(shape.channels), shape.rowBytes(),
                         std::min(kRows, height)};
    std::vector<std::byte> scratch(band.sizeBytes());
    std::vector<std::byte> filtered(band.sizeBytes());
    double sum = 0;
    for (std::size_t i = 0; i < kBands; ++i) {
        const std::size_t row = (height - band.rows) * i / (kBands - 1);
        const std::byte* samples = frame.bytes.data() + row * band.rowBytes;
        filterBand(band, bestFilter(band, samples, nullptr, scratch.data()), samples, nullptr, filtered.data());
        // The planes of a sample's bytes have little in common.
        const std::size_t planes = bytesOf(shape.type), planeBytes = filtered.size() / planes;
        for (std::size_t plane = 0; plane < planes; ++plane)
            sum +=
                byteEntropy(std::span(filtered).subspan(plane * planeBytes, planeBytes)) / static_cast<double>(planes);
    }
    return sum / kBands;
}

}  // namespace reelbrush::cache
