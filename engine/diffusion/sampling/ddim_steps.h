#pragma once

#include "engine/diffusion/sampling/sampler.h"

#include <vector>

namespace reelbrush::diffusion {

/// SamplerKind::Ddim. Each step goes to the level of the next timestep that is used, also where the timesteps are not
/// evenly spaced.
class DdimSteps final : public Sampler {
  public:
    DdimSteps(const SamplerSettings& settings, SamplerLevels levels) : Sampler(settings, std::move(levels)) {}

  private:
    void advance(std::size_t i, std::span<const float> prediction, std::span<float> latents,
                 NoiseSource& noise) override;

    std::vector<float> fresh_;
};

}  // namespace reelbrush::diffusion
