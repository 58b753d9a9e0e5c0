#pragma once

#include "engine/diffusion/frame_painter.h"
#include "engine/diffusion/sampling/latent_noise.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace reelbrush::diffusion {

/// The noise of a shot: without a motion module the same for every frame, since another noise would be another
/// painting; with one each frame has its own, drawn one after the other, as motion modules were trained.
class ShotNoise {
  public:
    /// valuesPerFrame: height * width * channels of the latents.
    ShotNoise(const PaintSettings& settings, std::size_t channels, std::size_t valuesPerFrame, bool perFrame);

    /// What the next frame starts from.
    std::vector<float> next();
    /// What samplers add on the way to `frames` frames: the same for every painting, so that it does not flicker.
    LatentNoise fresh(std::size_t frames) const;

  private:
    LatentNoiseOptions options_;
    std::size_t valuesPerFrame_;
    std::optional<LatentNoise> frames_;  ///< where each frame has its own
    std::vector<float> shared_;
};

}  // namespace reelbrush::diffusion
