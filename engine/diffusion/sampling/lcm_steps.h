#pragma once

#include "engine/diffusion/sampling/sampler.h"

#include <vector>

namespace reelbrush::diffusion {

/// SamplerKind::Lcm: each step estimates the clean latents, then noises them anew to the next level.
class LcmSteps final : public Sampler {
  public:
    LcmSteps(const SamplerSettings& settings, SamplerLevels levels) : Sampler(settings, std::move(levels)) {}

  private:
    void advance(std::size_t i, std::span<const float> prediction, std::span<float> latents,
                 NoiseSource& noise) override;

    std::vector<float> fresh_;
};

}  // namespace reelbrush::diffusion
