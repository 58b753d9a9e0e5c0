#pragma once

#include "engine/diffusion/sampling/sampler.h"

#include <vector>

namespace reelbrush::diffusion {

/// SamplerKind::Tcd: each step goes down further than the next level, by eta, and comes back up with fresh noise.
class TcdSteps final : public Sampler {
  public:
    TcdSteps(const SamplerSettings& settings, SamplerLevels levels);

  private:
    void advance(std::size_t i, std::span<const float> prediction, std::span<float> latents,
                 NoiseSource& noise) override;

    std::vector<NoiseLevel> turns_;  ///< [steps], how far down each step goes
    std::vector<float> fresh_;
};

}  // namespace reelbrush::diffusion
