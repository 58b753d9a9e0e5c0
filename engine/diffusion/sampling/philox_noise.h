#pragma once

#include "engine/diffusion/sampling/noise_source.h"

#include <cstdint>

namespace reelbrush::diffusion {

/// Normal noise as PyTorch's CUDA generator draws it, from which A1111 takes its seeds, to the bit: each value has a
/// Philox counter of its own, so that value i of a draw depends on the seed, the number of draws before it and i alone.
/// A GPU splits draws of more values than it has threads (from some 40,000 on small ones) in another order; this, like
/// A1111's own emulation, never does.
/// Source: Salmon et al. 2011 (Philox 4x32-10); Box and Muller 1958.
class PhiloxNoise final : public NoiseSource {
  public:
    explicit PhiloxNoise(std::uint64_t seed) : seed_(seed) {}
    void fill(std::span<float> out) override;

  private:
    std::uint64_t seed_;
    std::uint64_t draws_ = 0;
};

}  // namespace reelbrush::diffusion
