#include "engine/diffusion/sampling/ddim_steps.h"

#include <algorithm>
#include <cmath>

namespace reelbrush::diffusion {

void DdimSteps::advance(std::size_t i, std::span<const float> prediction, std::span<float> latents,
                        NoiseSource& noise) {
    const NoiseLevel now = level(stepOf(i)), next = level(stepOf(i) + 1);
    const double ratio = now.signal / next.signal;
    const double spread = settings().eta * next.noise / now.noise * std::sqrt(std::max(0.0, 1.0 - ratio * ratio));
    const double direction = std::sqrt(std::max(0.0, next.noise * next.noise - spread * spread));
    fresh_.assign(settings().eta > 0.0 ? latents.size() : 0, 0.0f);
    if (!fresh_.empty()) noise.fill(fresh_);
    const double clip = settings().clipRange.value_or(0.0);
    for (std::size_t k = 0; k < latents.size(); ++k) {
        const double x = latents[k];
        double clean = cleanEstimate(now, prediction[k], x);
        const double epsilon = noiseEstimate(now, prediction[k], x);
        if (clip > 0.0) clean = std::clamp(clean, -clip, clip);
        const double added = fresh_.empty() ? 0.0 : spread * fresh_[k];
        latents[k] = static_cast<float>(next.signal * clean + direction * epsilon + added);
    }
}

}  // namespace reelbrush::diffusion
