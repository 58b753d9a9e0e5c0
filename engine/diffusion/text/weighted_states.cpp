#include "engine/diffusion/text/weighted_states.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace reelbrush::diffusion {

namespace {

bool allOne(std::span<const float> weights) {
    return std::ranges::all_of(weights, [](float weight) { return weight == 1.0f; });
}

double sumOf(std::span<const float> values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

void multiplyByWeights(std::span<float> states, std::span<const float> weights) {
    if (allOne(weights)) return;
    const std::size_t channels = states.size() / weights.size();
    const double before = sumOf(states);
    for (std::size_t i = 0; i < states.size(); ++i) states[i] *= weights[i / channels];
    const double factor = before / sumOf(states);
    if (!(factor > 0.0 && factor <= kLargestMeanFactor)) return;
    for (float& state : states) state = static_cast<float>(state * factor);
}

void interpolateByWeights(std::span<float> states, std::span<const float> empty, std::span<const float> weights) {
    const std::size_t channels = states.size() / weights.size();
    for (std::size_t i = 0; i < states.size(); ++i) {
        const float weight = weights[i / channels];
        if (weight != 1.0f) states[i] = (states[i] - empty[i]) * weight + empty[i];
    }
}

}  // namespace reelbrush::diffusion
