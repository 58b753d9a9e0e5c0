#include "engine/diffusion/sampling/heun_steps.h"

#include <algorithm>

namespace reelbrush::diffusion {

HeunSteps::HeunSteps(const SamplerSettings& settings, SamplerLevels levels) : Sampler(settings, std::move(levels)) {
    std::vector<std::size_t> evaluations{firstStep()};
    for (std::size_t s = firstStep() + 1; s < stepCount(); ++s) evaluations.insert(evaluations.end(), 2, s);
    setEvaluations(std::move(evaluations));
}

void HeunSteps::advance(std::size_t i, std::span<const float> prediction, std::span<float> latents, NoiseSource&) {
    const NoiseLevel& at = level(stepOf(i));
    const bool correcting = i % 2 == 1;
    const double clip = settings().clipRange.value_or(0.0);
    const double stride = correcting ? at.noise - level(stepOf(i) - 1).noise : level(stepOf(i) + 1).noise - at.noise;
    if (!correcting) {
        before_.assign(latents.begin(), latents.end());
        slope_.resize(latents.size());
    }
    for (std::size_t k = 0; k < latents.size(); ++k) {
        double clean = cleanEstimate(at, prediction[k], latents[k]);
        if (clip > 0.0) clean = std::clamp(clean, -clip, clip);
        const double slope = (latents[k] - clean) / at.noise;
        if (!correcting) slope_[k] = static_cast<float>(slope);
        latents[k] = static_cast<float>(before_[k] + stride * (correcting ? (slope_[k] + slope) / 2 : slope));
    }
}

}  // namespace reelbrush::diffusion
