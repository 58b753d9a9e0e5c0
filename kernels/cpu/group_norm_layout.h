#pragma once

#include "kernels/tensor/shape.h"

#include <cstddef>
#include <cstdint>

namespace reelbrush::kernels {

/// How a group normalisation cuts its work, and where its scratch keeps what.
/// Each sample is summed in `parts` runs of pixels; per sample the scratch holds, in this order:
/// sums f64 [parts, 2, channels]; block sums f32 [parts, 2, channels]; shift, scale and offset f32 [channels] each.
struct GroupNormLayout {
    explicit GroupNormLayout(const Shape& shape);

    std::int64_t batch, pixels, channels, parts;

    std::int64_t sampleSize() const { return pixels * channels; }
    std::int64_t firstPixel(std::int64_t part) const { return pixels * part / parts; }
    /// Parts, or pixels, that are worth a thread.
    std::int64_t partGrain() const;
    std::int64_t pixelGrain() const;

    std::size_t scratchBytes() const;
    double* sums(std::byte* scratch, std::int64_t n, std::int64_t part) const;
    float* blockSums(std::byte* scratch, std::int64_t n, std::int64_t part) const;
    float* shift(std::byte* scratch, std::int64_t n) const;
    float* scale(std::byte* scratch, std::int64_t n) const;
    float* offset(std::byte* scratch, std::int64_t n) const;

  private:
    std::size_t sampleBytes() const;
    float* vectors(std::byte* scratch, std::int64_t n) const;
};

/// What turns the sums of a sample into scales and offsets.
struct GroupNormTerms {
    int groups;
    float epsilon;
    const float *gamma, *beta;  ///< [channels]
    const float* channelAdd;    ///< [channels], or null

    double addOf(std::int64_t c) const { return channelAdd ? static_cast<double>(channelAdd[c]) : 0.0; }
};

/// Means of the channels over a few pixels: near enough to keep the sums of squares from cancelling.
void estimateMeans(const GroupNormLayout& layout, const float* sample, float* means);

/// From the sums of all parts of a sample to its scale and offset of each channel.
/// A vector added to every pixel moves the means and leaves the variances within a channel alone, so it costs nothing
/// per pixel.
void reduceToScales(const GroupNormLayout& layout, const GroupNormTerms& terms, std::byte* scratch, std::int64_t n);

/// The same from known statistics: the means of the groups, then their variances.
void statisticsToScales(const GroupNormLayout& layout, const GroupNormTerms& terms, const float* statistics,
                        std::byte* scratch, std::int64_t n);

}  // namespace reelbrush::kernels
