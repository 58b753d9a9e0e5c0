#pragma once

#include "engine/diffusion/sampling/sampler.h"

#include <vector>

namespace reelbrush::diffusion {

/// SamplerKind::DpmSolver2M and DpmSolver2MSde: each step draws a polynomial through the clean estimates of the last
/// steps, over half the logarithm of the signal-to-noise ratio.
class DpmSolverSteps final : public Sampler {
  public:
    DpmSolverSteps(const SamplerSettings& settings, SamplerLevels levels) : Sampler(settings, std::move(levels)) {}

  private:
    void advance(std::size_t i, std::span<const float> prediction, std::span<float> latents,
                 NoiseSource& noise) override;

    /// How a step mixes latents, clean estimate, its first and second differences, and fresh noise.
    struct Mix {
        double latent = 0.0, clean = 0.0, first = 0.0, second = 0.0, noise = 0.0;
    };
    int orderOf(std::size_t i) const;
    Mix mixOf(std::size_t step, int order) const;

    std::vector<float> estimates_[3];  ///< of this step and those before it, the newest first
    std::vector<float> fresh_;
};

}  // namespace reelbrush::diffusion
