#pragma once

#include "engine/core/status.h"
#include "engine/diffusion/sampling/noise_schedule.h"

#include <span>
#include <vector>

namespace reelbrush::diffusion {

/// Deterministic DDIM (Song et al. 2020, eta 0) for models that predict v (Salimans and Ho 2022), timesteps counted
/// back from the last ("trailing"), so that the first step starts from pure noise.
class DdimSampler {
  public:
    /// steps: 1..training timesteps. Errors: BadInput.
    static Result<DdimSampler> create(const NoiseSchedule& schedule, int steps);

    /// Falling, one per step: round(T - i * T / steps) - 1, halves to even.
    const std::vector<int>& timesteps() const { return timesteps_; }

    /// Advances latents from step i to i + 1, in place, from the model's prediction of the same shape.
    /// After the last step latents are the model's clean estimate.
    void step(std::size_t index, std::span<const float> prediction, std::span<float> latents) const;

  private:
    std::vector<int> timesteps_;
    std::vector<double> signalShare_;  ///< at each timestep, then 1
};

}  // namespace reelbrush::diffusion
