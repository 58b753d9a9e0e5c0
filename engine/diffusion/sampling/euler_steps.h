#pragma once

#include "engine/diffusion/sampling/sampler.h"

#include <vector>

namespace reelbrush::diffusion {

/// SamplerKind::Euler, EulerAncestral and FlowEuler: one straight step along the line from the clean estimate through
/// the latents.
class EulerSteps final : public Sampler {
  public:
    EulerSteps(const SamplerSettings& settings, SamplerLevels levels) : Sampler(settings, std::move(levels)) {}

  private:
    void advance(std::size_t i, std::span<const float> prediction, std::span<float> latents,
                 NoiseSource& noise) override;

    std::vector<float> fresh_;
};

}  // namespace reelbrush::diffusion
