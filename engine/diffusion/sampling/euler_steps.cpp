#include "engine/diffusion/sampling/euler_steps.h"

#include <cmath>

namespace reelbrush::diffusion {

void EulerSteps::advance(std::size_t i, std::span<const float> prediction, std::span<float> latents,
                         NoiseSource& noise) {
    const NoiseLevel now = level(stepOf(i)), next = level(stepOf(i) + 1);
    double down = next.noise, up = 0.0;
    if (settings().kind == SamplerKind::EulerAncestral) {
        const double ratio = next.noise / now.noise;
        up = next.noise * std::sqrt(1.0 - ratio * ratio);
        down = next.noise * ratio;
        fresh_.resize(latents.size());
        noise.fill(fresh_);
    }
    const double kept = down / now.noise;
    for (std::size_t k = 0; k < latents.size(); ++k) {
        const double clean = cleanEstimate(now, prediction[k], latents[k]);
        const double moved = clean + (latents[k] - clean) * kept;
        latents[k] = static_cast<float>(up > 0.0 ? moved + up * fresh_[k] : moved);
    }
}

}  // namespace reelbrush::diffusion
