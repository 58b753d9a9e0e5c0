#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace reelbrush::diffusion {

/// Gathers what a group norm needs to know of an image that is seen in parts.
class NormStatistics {
  public:
    explicit NormStatistics(std::size_t channels) : sums_(channels), squares_(channels) {}

    /// pixels [count, channels]
    void add(std::span<const float> pixels);
    /// Means of the groups, then their variances: as GroupNorm::hasStatistics takes them. out: [2 * groups].
    void finish(std::span<float> out) const;

  private:
    std::vector<double> sums_, squares_;
    std::size_t pixels_ = 0;
};

}  // namespace reelbrush::diffusion
