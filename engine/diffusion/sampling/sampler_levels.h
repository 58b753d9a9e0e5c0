#pragma once

#include "engine/core/status.h"
#include "engine/diffusion/sampling/sampler_settings.h"

#include <vector>

namespace reelbrush::diffusion {

/// Noised latents are signal * clean + noise * unit normal noise.
struct NoiseLevel {
    double signal = 1.0, noise = 0.0;
};

/// One row per step, from noise to clean, in the space the sampler works in: noise preserving variance
/// (signal^2 + noise^2 = 1) for Ddim, DpmSolver, UniPc, Lcm and Tcd; adding to it (signal = 1, noise = sigma) for
/// Euler, EulerAncestral and Heun; a straight line (signal + noise = 1) for FlowEuler.
struct SamplerLevels {
    std::vector<double> timesteps;   ///< [steps], what the model is told
    std::vector<NoiseLevel> levels;  ///< [steps + 1]: before each step, and after the last
    std::size_t first = 0;           ///< the first step to do: later than 0 where strength is below 1
};

/// strength: 0..1, the share of the steps that is done: int(steps * strength), as img2img of diffusers has it; Lcm and
/// Tcd spread all steps over the share instead.
/// Errors: BadInput (too few or too many steps for the settings; no step left).
Result<SamplerLevels> makeLevels(const SamplerSettings& settings, int steps, double strength);

/// Whether the sampler adds noise to full signal (Euler, EulerAncestral, Heun).
bool isVarianceExploding(SamplerKind kind);

}  // namespace reelbrush::diffusion
