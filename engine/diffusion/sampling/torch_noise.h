#pragma once

#include "engine/diffusion/sampling/noise_source.h"

#include <cstdint>
#include <random>
#include <span>

namespace reelbrush::diffusion {

/// Normal noise as PyTorch's CPU generator draws it (torch.randn after torch.Generator().manual_seed(seed)), so that a
/// seed gives what artists know from PyTorch programs. Draws continue: a second call goes on where the first ended.
/// Source: the algorithm of ATen's CPU normal_ (mt19937; Box-Muller over blocks of 16 from 16 values on, one by one in
/// double precision below).
class TorchCpuNoise final : public NoiseSource {
  public:
    explicit TorchCpuNoise(std::uint64_t seed);
    /// Fills with unit normal values, in the order of a contiguous PyTorch tensor.
    void fill(std::span<float> out) override;

  private:
    float uniform();
    double uniformDouble();
    double nextNormal();
    void fillBlock(float* sixteen);

    std::mt19937 engine_;
    double waiting_ = 0.0;  ///< the second value of the last pair drawn one by one
    bool hasWaiting_ = false;
};

/// Noise for latents [1,H,W,C], drawn in PyTorch's order [1,C,H,W].
void fillLatentNoise(std::uint64_t seed, int height, int width, int channels, std::span<float> out);

}  // namespace reelbrush::diffusion
