#include "engine/diffusion/sampling/lcm_steps.h"

#include <algorithm>
#include <cmath>

namespace reelbrush::diffusion {

namespace {
/// The spread of clean latents that consistency models are parametrised with (Song et al. 2023, appendix C).
constexpr double kDataSpread = 0.5;
}  // namespace

void LcmSteps::advance(std::size_t i, std::span<const float> prediction, std::span<float> latents, NoiseSource& noise) {
    const NoiseLevel now = level(stepOf(i)), next = level(stepOf(i) + 1);
    const double scaled = timesteps()[stepOf(i)] * settings().timestepScaling;
    const double square = scaled * scaled + kDataSpread * kDataSpread;
    const double skipShare = kDataSpread * kDataSpread / square, cleanShare = scaled / std::sqrt(square);
    const bool last = i + 1 == evaluations();
    fresh_.assign(latents.size(), 0.0f);
    if (!last) noise.fill(fresh_);
    const double clip = settings().clipRange.value_or(0.0);
    for (std::size_t k = 0; k < latents.size(); ++k) {
        double clean = cleanEstimate(now, prediction[k], latents[k]);
        if (clip > 0.0) clean = std::clamp(clean, -clip, clip);
        const double consistent = cleanShare * clean + skipShare * latents[k];
        latents[k] = static_cast<float>(next.signal * consistent + next.noise * fresh_[k]);
    }
}

}  // namespace reelbrush::diffusion
