#include "engine/diffusion/style_bank.h"

#include "kernels/tensor/dtype.h"

#include <algorithm>
#include <cmath>

namespace reelbrush::diffusion {

namespace {

struct Statistics {
    double mean = 0.0, deviation = 0.0;
};

Statistics statisticsOf(std::span<const float> values, std::size_t channels, std::size_t channel) {
    double sum = 0.0, squares = 0.0;
    for (std::size_t i = channel; i < values.size(); i += channels) {
        sum += values[i];
        squares += static_cast<double>(values[i]) * values[i];
    }
    const double count = static_cast<double>(values.size() / channels);
    const double mean = sum / count;
    return {mean, std::sqrt(std::max(0.0, squares / count - mean * mean))};
}

}  // namespace

void StyleBank::add(std::span<const float> values) {
    std::vector<std::uint16_t> halves(values.size());
    std::ranges::transform(values, halves.begin(), kernels::floatToHalf);
    evaluations_.back().push_back(std::move(halves));
}

void StyleBank::read(std::size_t evaluation, std::size_t index, std::span<float> out) const {
    std::ranges::transform(evaluations_[evaluation][index], out.begin(), kernels::halfToFloat);
}

std::size_t StyleBank::bytes() const {
    std::size_t values = 0;
    for (const auto& evaluation : evaluations_)
        for (const auto& tensor : evaluation) values += tensor.size();
    return values * sizeof(std::uint16_t);
}

void matchStatistics(std::span<const float> like, std::size_t channels, std::span<float> latents) {
    constexpr double kLeastDeviation = 1e-6;  // of a channel that is flat there is nothing to stretch
    for (std::size_t c = 0; c < channels; ++c) {
        const Statistics from = statisticsOf(latents, channels, c), to = statisticsOf(like, channels, c);
        const double scale = to.deviation / std::max(from.deviation, kLeastDeviation);
        for (std::size_t i = c; i < latents.size(); i += channels)
            latents[i] = static_cast<float>((latents[i] - from.mean) * scale + to.mean);
    }
}

}  // namespace reelbrush::diffusion
