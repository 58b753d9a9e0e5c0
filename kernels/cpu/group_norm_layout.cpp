#include "kernels/cpu/group_norm_layout.h"

#include <algorithm>
#include <cmath>

namespace reelbrush::kernels {

namespace {

constexpr std::int64_t kMaxParts = 16;    // a sample is summed by at most so many threads
constexpr std::int64_t kPartPixels = 64;  // and no part is smaller, unless the sample is
constexpr std::int64_t kThreadValues = 16384;
constexpr std::int64_t kSampledPixels = 16;

}  // namespace

GroupNormLayout::GroupNormLayout(const Shape& shape)
    : batch(shape.batch()),
      pixels(shape.rows() / std::max<std::int64_t>(shape.batch(), 1)),
      channels(shape.channels()),
      parts(std::clamp<std::int64_t>(pixels / kPartPixels, 1, kMaxParts)) {}

std::int64_t GroupNormLayout::partGrain() const {
    const std::int64_t partValues = std::max<std::int64_t>(sampleSize() / parts, 1);
    return (kThreadValues + partValues - 1) / partValues;
}

std::int64_t GroupNormLayout::pixelGrain() const {
    return kThreadValues / channels + 1;
}

std::size_t GroupNormLayout::sampleBytes() const {
    const auto vectors = static_cast<std::size_t>(parts) * 2 * (sizeof(double) + sizeof(float)) + 3 * sizeof(float);
    return (static_cast<std::size_t>(channels) * vectors + 63) / 64 * 64;
}

std::size_t GroupNormLayout::scratchBytes() const {
    return static_cast<std::size_t>(batch) * sampleBytes();
}

double* GroupNormLayout::sums(std::byte* scratch, std::int64_t n, std::int64_t part) const {
    return reinterpret_cast<double*>(scratch + static_cast<std::size_t>(n) * sampleBytes()) + part * 2 * channels;
}

float* GroupNormLayout::blockSums(std::byte* scratch, std::int64_t n, std::int64_t part) const {
    return reinterpret_cast<float*>(sums(scratch, n, parts)) + part * 2 * channels;
}

float* GroupNormLayout::vectors(std::byte* scratch, std::int64_t n) const {
    return blockSums(scratch, n, parts);
}

float* GroupNormLayout::shift(std::byte* scratch, std::int64_t n) const {
    return vectors(scratch, n);
}

float* GroupNormLayout::scale(std::byte* scratch, std::int64_t n) const {
    return vectors(scratch, n) + channels;
}

float* GroupNormLayout::offset(std::byte* scratch, std::int64_t n) const {
    return vectors(scratch, n) + 2 * channels;
}

void estimateMeans(const GroupNormLayout& layout, const float* sample, float* means) {
    const std::int64_t count = std::min(layout.pixels, kSampledPixels);
    std::fill_n(means, layout.channels, 0.0f);
    for (std::int64_t i = 0; i < count; ++i) {
        const float* pixel = sample + layout.pixels * i / count * layout.channels;
        for (std::int64_t c = 0; c < layout.channels; ++c) means[c] += pixel[c];
    }
    for (std::int64_t c = 0; c < layout.channels; ++c) means[c] /= static_cast<float>(count);
}

namespace {

struct GroupMoments {
    int group;
    double mean, variance;
};

void writeScales(const GroupNormLayout& layout, const GroupNormTerms& terms, const GroupMoments& moments,
                 std::byte* scratch, std::int64_t n) {
    const std::int64_t width = layout.channels / terms.groups, first = moments.group * width;
    const double inverse = 1.0 / std::sqrt(moments.variance + static_cast<double>(terms.epsilon));
    float *scale = layout.scale(scratch, n), *offset = layout.offset(scratch, n);
    for (std::int64_t c = first; c < first + width; ++c) {
        const double factor = inverse * static_cast<double>(terms.gamma[c]);
        scale[c] = static_cast<float>(factor);
        offset[c] = static_cast<float>(static_cast<double>(terms.beta[c]) + (terms.addOf(c) - moments.mean) * factor);
    }
}

}  // namespace

void reduceToScales(const GroupNormLayout& layout, const GroupNormTerms& terms, std::byte* scratch, std::int64_t n) {
    const std::int64_t width = layout.channels / terms.groups;
    const auto pixels = static_cast<double>(layout.pixels);
    double *sums = layout.sums(scratch, n, 0), *squares = sums + layout.channels;
    for (std::int64_t part = 1; part < layout.parts; ++part) {
        const double* other = layout.sums(scratch, n, part);
        for (std::int64_t i = 0; i < 2 * layout.channels; ++i) sums[i] += other[i];
    }
    const float* shift = layout.shift(scratch, n);
    for (int group = 0; group < terms.groups; ++group) {
        const std::int64_t first = group * width, end = first + width;
        const auto meanOf = [&](std::int64_t c) { return shift[c] + sums[c] / pixels + terms.addOf(c); };
        double mean = 0.0;
        for (std::int64_t c = first; c < end; ++c) mean += meanOf(c);
        mean /= static_cast<double>(width);
        // Within the channels and between them (Chan et al. 1979).
        double squaredDistances = 0.0;
        for (std::int64_t c = first; c < end; ++c) {
            const double distance = meanOf(c) - mean;
            squaredDistances += squares[c] - sums[c] * sums[c] / pixels + pixels * distance * distance;
        }
        const double variance = std::max(0.0, squaredDistances / (pixels * static_cast<double>(width)));
        writeScales(layout, terms, GroupMoments{group, mean, variance}, scratch, n);
    }
}

void statisticsToScales(const GroupNormLayout& layout, const GroupNormTerms& terms, const float* statistics,
                        std::byte* scratch, std::int64_t n) {
    for (int group = 0; group < terms.groups; ++group)
        writeScales(layout, terms, {group, statistics[group], statistics[terms.groups + group]}, scratch, n);
}

}  // namespace reelbrush::kernels
