#include "engine/diffusion/vae/norm_statistics.h"

#include <algorithm>

namespace reelbrush::diffusion {

void NormStatistics::add(std::span<const float> pixels) {
    const std::size_t channels = sums_.size();
    double *sums = sums_.data(), *squares = squares_.data();
    for (std::size_t first = 0; first < pixels.size(); first += channels) {
        const float* pixel = pixels.data() + first;
        for (std::size_t c = 0; c < channels; ++c) {
            const auto value = static_cast<double>(pixel[c]);
            sums[c] += value;
            squares[c] += value * value;
        }
    }
    pixels_ += pixels.size() / channels;
}

void NormStatistics::finish(std::span<float> out) const {
    const std::size_t groups = out.size() / 2, width = sums_.size() / groups;
    const auto count = static_cast<double>(pixels_ * width);
    for (std::size_t group = 0; group < groups; ++group) {
        double sum = 0.0, square = 0.0;
        for (std::size_t c = group * width; c < (group + 1) * width; ++c) {
            sum += sums_[c];
            square += squares_[c];
        }
        const double mean = sum / count;
        out[group] = static_cast<float>(mean);
        // NaN stays NaN: what is not finite is reported, not hidden.
        const double variance = square / count - mean * mean;
        out[groups + group] = static_cast<float>(variance < 0.0 ? 0.0 : variance);
    }
}

}  // namespace reelbrush::diffusion
