#pragma once

#include "engine/diffusion/sampling/sampler.h"

#include <vector>

namespace reelbrush::diffusion {

/// SamplerKind::Heun: an Euler step, then the same step again along the mean of the slopes at both its ends. The last
/// step, to no noise at all, stays an Euler step.
class HeunSteps final : public Sampler {
  public:
    HeunSteps(const SamplerSettings& settings, SamplerLevels levels);

  private:
    void advance(std::size_t i, std::span<const float> prediction, std::span<float> latents,
                 NoiseSource& noise) override;

    std::vector<float> before_;  ///< the latents that the step started from
    std::vector<float> slope_;   ///< there
};

}  // namespace reelbrush::diffusion
