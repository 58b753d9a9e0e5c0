#include "engine/diffusion/sampling/ddim_sampler.h"

#include <fmt/format.h>

#include <cmath>

namespace reelbrush::diffusion {

Result<DdimSampler> DdimSampler::create(const NoiseSchedule& schedule, int steps) {
    const int total = static_cast<int>(schedule.signalShare.size());
    if (steps < 1 || steps > total)
        return fail(StatusCode::BadInput, fmt::format("steps must lie between 1 and {}, got {}", total, steps));
    DdimSampler sampler;
    for (int i = 0; i < steps; ++i) {
        const double exact = total - i * (static_cast<double>(total) / steps);
        const int timestep = static_cast<int>(std::nearbyint(exact)) - 1;
        sampler.timesteps_.push_back(timestep);
        sampler.signalShare_.push_back(schedule.signalShare[static_cast<std::size_t>(timestep)]);
    }
    sampler.signalShare_.push_back(1.0);
    return sampler;
}

void DdimSampler::step(std::size_t index, std::span<const float> prediction, std::span<float> latents) const {
    const auto signal = static_cast<float>(std::sqrt(signalShare_[index]));
    const auto noise = static_cast<float>(std::sqrt(1.0 - signalShare_[index]));
    const auto nextSignal = static_cast<float>(std::sqrt(signalShare_[index + 1]));
    const auto nextNoise = static_cast<float>(std::sqrt(1.0 - signalShare_[index + 1]));
    for (std::size_t i = 0; i < latents.size(); ++i) {
        const float clean = signal * latents[i] - noise * prediction[i];
        const float epsilon = signal * prediction[i] + noise * latents[i];
        latents[i] = nextSignal * clean + nextNoise * epsilon;
    }
}

}  // namespace reelbrush::diffusion
