#pragma once

#include <span>

namespace reelbrush::diffusion {

/// Where fresh unit normal noise comes from; each call goes on where the last ended.
/// Thread: one at a time.
class NoiseSource {
  public:
    virtual ~NoiseSource() = default;
    virtual void fill(std::span<float> out) = 0;
};

}  // namespace reelbrush::diffusion
