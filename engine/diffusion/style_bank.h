#pragma once

#include "engine/diffusion/frame_painter.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace reelbrush::diffusion {

/// Keys and values of a style picture, for each evaluation of a denoising and each injected layer, as halves.
/// They depend on the picture, the noise and the sampler, not on the frame: computed once, then used for all frames.
class StyleBank {
  public:
    bool isEmpty() const { return evaluations_.empty(); }
    /// Forgets everything.
    void clear() { evaluations_.clear(); }

    /// Begins the next evaluation.
    void beginEvaluation() { evaluations_.emplace_back(); }
    /// Adds a tensor of this evaluation, in the order in which they are read back.
    void add(std::span<const float> values);
    /// Tensor `index` of an evaluation. out: of the size that was added.
    void read(std::size_t evaluation, std::size_t index, std::span<float> out) const;

    std::size_t evaluations() const { return evaluations_.size(); }
    /// Of all tensors.
    std::size_t bytes() const;

  private:
    std::vector<std::vector<std::vector<std::uint16_t>>> evaluations_;
};

/// Gives latents [pixels, channels] the mean and the spread of others, channel by channel (Huang and Belongie 2017).
void matchStatistics(std::span<const float> like, std::size_t channels, std::span<float> latents);

}  // namespace reelbrush::diffusion
