#pragma once

#include "engine/diffusion/sampling/noise_source.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace reelbrush::diffusion {

enum class NoiseGenerator {
    TorchCpu,  ///< PyTorch's CPU generator: what ComfyUI draws from
    Philox,    ///< PyTorch's CUDA generator: what A1111 draws from, unless told to use the CPU
};

/// How a batch of pictures shares a seed.
enum class BatchDraw {
    Together,  ///< one generator draws the whole batch at once, as ComfyUI does
    OneByOne,  ///< picture n has a generator of its own, seeded with seed + n, as A1111 does
    Shared,    ///< one picture's noise for all: frames of a shot, which would flicker otherwise
};

struct LatentNoiseOptions {
    NoiseGenerator generator = NoiseGenerator::TorchCpu;
    BatchDraw draw = BatchDraw::Together;
    std::uint64_t seed = 0;
    std::size_t channels = 4;
    std::size_t pictures = 1;
};

std::unique_ptr<NoiseSource> makeNoiseSource(NoiseGenerator generator, std::uint64_t seed);

/// Noise for latents [N,H,W,C], drawn in PyTorch's order [N,C,H,W] ([C,H,W] a picture where drawn one by one), so that
/// a seed gives what artists know. The first fill() is what the latents start from; those after it are what samplers
/// add on the way, the same generators going on: A1111 does this too, ComfyUI draws steps' noise from its own.
class LatentNoise final : public NoiseSource {
  public:
    explicit LatentNoise(const LatentNoiseOptions& options);
    /// out: [pictures, height * width, channels]; its size must be a multiple of pictures * channels.
    void fill(std::span<float> out) override;

  private:
    std::size_t channels_, pictures_;
    std::vector<std::unique_ptr<NoiseSource>> sources_;
    bool shared_;
    std::vector<float> planes_;
};

}  // namespace reelbrush::diffusion
