#include "engine/cache/band_filter.h"

#include "engine/cache/information.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace reelbrush::cache {

namespace {

template <typename T>
T less(T a, T b) {
    return static_cast<T>(a - b);
}

template <typename T>
T plus(T a, T b) {
    return static_cast<T>(a + b);
}

/// 0, -1, 1, -2 ... as 0, 1, 2, 3: what is small in either direction has empty high bytes.
template <typename T>
T zigzag(T value) {
    return static_cast<T>(static_cast<T>(value << 1) ^ static_cast<T>(0 - (value >> (8 * sizeof(T) - 1))));
}

template <typename T>
T unzigzag(T value) {
    return static_cast<T>((value >> 1) ^ static_cast<T>(0 - (value & 1)));
}

/// Memory of frames is bytes; rows are copied into samples, which also takes care of alignment.
template <typename T>
class Rows {
  public:
    explicit Rows(const BandShape& band)
        : samples_(band.rowBytes / sizeof(T)), channels_(band.channels), current_(samples_), upper_(samples_) {}

    std::size_t samples() const { return samples_; }
    T* current() { return current_.data(); }

    void takeBase(const std::byte* base) {
        T other;
        for (std::size_t x = 0; x < samples_; ++x) {
            std::memcpy(&other, base + x * sizeof(T), sizeof(T));
            current_[x] = less(current_[x], other);
        }
    }

    void addBase(const std::byte* base) {
        T other;
        for (std::size_t x = 0; x < samples_; ++x) {
            std::memcpy(&other, base + x * sizeof(T), sizeof(T));
            current_[x] = plus(current_[x], other);
        }
    }

    template <T (*Combine)(T, T)>
    void withGreen() {
        for (std::size_t x = 0; x < samples_; x += channels_) {
            current_[x] = Combine(current_[x], current_[x + 1]);
            current_[x + 2] = Combine(current_[x + 2], current_[x + 1]);
        }
    }

    /// current becomes its difference from left and upper; what it was becomes the upper row.
    void takeGradient() {
        difference_.resize(samples_);
        for (std::size_t x = 0; x < samples_; ++x) difference_[x] = less(current_[x], upper_[x]);
        std::swap(current_, upper_);
        const std::size_t first = std::min(channels_, samples_);
        std::copy_n(difference_.data(), first, current_.data());
        for (std::size_t x = first; x < samples_; ++x) current_[x] = less(difference_[x], difference_[x - channels_]);
    }

    /// The way back; the result is in current and is the next row's upper.
    void addGradient() {
        channels_ == 3 ? sumAlongRow<3>() : channels_ == 4 ? sumAlongRow<4>() : sumAlongRow();
        for (std::size_t x = 0; x < samples_; ++x) current_[x] = plus(current_[x], upper_[x]);
        std::copy_n(current_.data(), samples_, upper_.data());
    }

  private:
    /// Sums in registers: read back from memory they would take several times as long.
    template <std::size_t Channels>
    void sumAlongRow() {
        std::array<T, Channels> sums{};
        T* row = current_.data();
        for (std::size_t x = 0; x < samples_; x += Channels)
            for (std::size_t c = 0; c < Channels; ++c) row[x + c] = sums[c] = plus(sums[c], row[x + c]);
    }

    void sumAlongRow() {
        for (std::size_t x = channels_; x < samples_; ++x) current_[x] = plus(current_[x], current_[x - channels_]);
    }

    std::size_t samples_, channels_;
    std::vector<T> current_, upper_, difference_;
};

/// Samples into planes of bytes from sample `at` on, of `total` in each plane.
template <typename T>
void split(const T* samples, std::size_t count, std::byte* planes, std::size_t at, std::size_t total) {
    if constexpr (sizeof(T) == 1) return void(std::memcpy(planes + at, samples, count));
    for (std::size_t plane = 0; plane < sizeof(T); ++plane) {
        std::byte* out = planes + plane * total + at;
        for (std::size_t x = 0; x < count; ++x) out[x] = static_cast<std::byte>(samples[x] >> (8 * plane) & 0xff);
    }
}

template <typename T>
void join(const std::byte* planes, std::size_t at, std::size_t total, T* samples, std::size_t count) {
    if constexpr (sizeof(T) == 1) return void(std::memcpy(samples, planes + at, count));
    std::fill_n(samples, count, T{0});
    for (std::size_t plane = 0; plane < sizeof(T); ++plane) {
        const std::byte* in = planes + plane * total + at;
        for (std::size_t x = 0; x < count; ++x)
            samples[x] = static_cast<T>(samples[x] | static_cast<T>(static_cast<T>(in[x]) << (8 * plane)));
    }
}

template <typename T>
void filterRows(const BandShape& band, std::uint8_t filter, const std::byte* samples, const std::byte* base,
                std::byte* filtered) {
    Rows<T> rows(band);
    const std::size_t count = rows.samples();
    for (std::size_t row = 0; row < band.rows; ++row) {
        std::memcpy(rows.current(), samples + row * band.rowBytes, band.rowBytes);
        if (filter & kTemporal) rows.takeBase(base + row * band.rowBytes);
        if (filter & kColour) rows.template withGreen<less<T>>();
        if (filter & kGradient) rows.takeGradient();
        if (sizeof(T) > 1 && filter != kPlain)
            for (std::size_t x = 0; x < count; ++x) rows.current()[x] = zigzag(rows.current()[x]);
        split(rows.current(), count, filtered, row * count, band.rows * count);
    }
}

template <typename T>
void unfilterRows(const BandShape& band, std::uint8_t filter, const std::byte* filtered, std::byte* samples) {
    Rows<T> rows(band);
    const std::size_t count = rows.samples();
    for (std::size_t row = 0; row < band.rows; ++row) {
        join(filtered, row * count, band.rows * count, rows.current(), count);
        if (sizeof(T) > 1 && filter != kPlain)
            for (std::size_t x = 0; x < count; ++x) rows.current()[x] = unzigzag(rows.current()[x]);
        if (filter & kGradient) rows.addGradient();
        if (filter & kColour) rows.template withGreen<plus<T>>();
        if (filter & kTemporal) rows.addBase(samples + row * band.rowBytes);
        std::memcpy(samples + row * band.rowBytes, rows.current(), band.rowBytes);
    }
}

/// Information in bytes of what the filter leaves of the band.
double leftBy(const BandShape& band, std::uint8_t filter, const std::byte* samples, const std::byte* base,
              std::byte* scratch) {
    filterBand(band, filter, samples, base, scratch);
    const std::size_t planes = bytesOf(band.type), planeBytes = band.sizeBytes() / planes;
    double bits = 0;
    for (std::size_t plane = 0; plane < planes; ++plane)
        bits += byteEntropy({scratch + plane * planeBytes, planeBytes});
    return bits;
}

}  // namespace

void filterBand(const BandShape& band, std::uint8_t filter, const std::byte* samples, const std::byte* base,
                std::byte* filtered) {
    switch (bytesOf(band.type)) {
        case 1:
            return filterRows<std::uint8_t>(band, filter, samples, base, filtered);
        case 2:
            return filterRows<std::uint16_t>(band, filter, samples, base, filtered);
        default:
            return filterRows<std::uint32_t>(band, filter, samples, base, filtered);
    }
}

void unfilterBand(const BandShape& band, std::uint8_t filter, std::byte* filtered, std::byte* samples) {
    switch (bytesOf(band.type)) {
        case 1:
            return unfilterRows<std::uint8_t>(band, filter, filtered, samples);
        case 2:
            return unfilterRows<std::uint16_t>(band, filter, filtered, samples);
        default:
            return unfilterRows<std::uint32_t>(band, filter, filtered, samples);
    }
}

std::uint8_t bestFilter(const BandShape& band, const std::byte* samples, const std::byte* base, std::byte* scratch) {
    constexpr std::size_t kSomeRows = 8;
    BandShape some = band;
    some.rows = std::min(band.rows, kSomeRows);
    const std::size_t offset = (band.rows - some.rows) / 2 * band.rowBytes;
    std::uint8_t best = kPlain;
    double least = std::numeric_limits<double>::infinity();
    for (std::uint8_t filter = 0; filter <= kAllFilters; ++filter) {
        const bool isPossible =
            (base || !(filter & kTemporal)) && (band.channels == 3 || band.channels == 4 || !(filter & kColour));
        if (!isPossible) continue;
        const double left = leftBy(some, filter, samples + offset, base ? base + offset : nullptr, scratch);
        if (left >= least) continue;
        least = left;
        best = filter;
    }
    return best;
}

}  // namespace reelbrush::cache
