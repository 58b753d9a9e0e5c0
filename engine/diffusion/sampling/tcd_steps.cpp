#include "engine/diffusion/sampling/tcd_steps.h"

#include <algorithm>
#include <cmath>

namespace reelbrush::diffusion {

TcdSteps::TcdSteps(const SamplerSettings& settings, SamplerLevels levels) : Sampler(settings, std::move(levels)) {
    const NoiseSchedule schedule = NoiseSchedule::fromBetas(settings.betas);
    for (std::size_t s = 0; s < stepCount(); ++s) {
        const double next = s + 1 < stepCount() ? timesteps()[s + 1] : 0.0;
        // in single precision, as the timestep that this rounds down to must be the reference's
        const float turn = static_cast<float>(1.0 - settings.eta) * static_cast<float>(next);
        const double share = schedule.signalShare[static_cast<std::size_t>(turn)];
        turns_.push_back({std::sqrt(share), std::sqrt(1.0 - share)});
    }
}

void TcdSteps::advance(std::size_t i, std::span<const float> prediction, std::span<float> latents, NoiseSource& noise) {
    const NoiseLevel now = level(stepOf(i)), next = level(stepOf(i) + 1), turn = turns_[stepOf(i)];
    const bool comesBack = settings().eta > 0.0 && i + 1 < evaluations();
    const double kept = comesBack ? next.signal / turn.signal : 1.0;
    const double added = std::sqrt(std::max(0.0, 1.0 - kept * kept));
    fresh_.assign(latents.size(), 0.0f);
    if (comesBack) noise.fill(fresh_);
    for (std::size_t k = 0; k < latents.size(); ++k) {
        const double clean = cleanEstimate(now, prediction[k], latents[k]);
        const double epsilon = noiseEstimate(now, prediction[k], latents[k]);
        const double down = turn.signal * clean + turn.noise * epsilon;
        latents[k] = static_cast<float>(kept * down + added * fresh_[k]);
    }
}

}  // namespace reelbrush::diffusion
