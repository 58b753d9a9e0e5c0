#pragma once

#include "engine/diffusion/sampling/sampler.h"

#include <vector>

namespace reelbrush::diffusion {

/// SamplerKind::UniPc: before each step the last one is corrected with the estimate that has come since; both draw on
/// the clean estimates of the last steps.
class UniPcSteps final : public Sampler {
  public:
    UniPcSteps(const SamplerSettings& settings, SamplerLevels levels) : Sampler(settings, std::move(levels)) {}

  private:
    void advance(std::size_t i, std::span<const float> prediction, std::span<float> latents,
                 NoiseSource& noise) override;

    /// How an update mixes latents, the newest estimate before it, and the differences of the others from that.
    struct Mix {
        double latent = 0.0, clean = 0.0;
        std::vector<double> differences;  ///< estimates_[1..order-1]; a corrector's last is the estimate at the target
    };
    int orderOf(std::size_t i) const;
    Mix mixOf(std::size_t from, int order, bool correcting) const;
    void correct(std::size_t step, std::span<const float> estimate, std::span<float> latents) const;

    std::vector<float> estimates_[3];  ///< the newest first
    std::vector<float> before_;        ///< the corrected latents that the last step started from
    std::vector<float> estimate_;
    int lastOrder_ = 1;
};

}  // namespace reelbrush::diffusion
