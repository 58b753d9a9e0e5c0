#include "engine/diffusion/sampling/latent_noise.h"

#include "engine/diffusion/sampling/philox_noise.h"
#include "engine/diffusion/sampling/torch_noise.h"

#include <algorithm>

namespace reelbrush::diffusion {

std::unique_ptr<NoiseSource> makeNoiseSource(NoiseGenerator generator, std::uint64_t seed) {
    if (generator == NoiseGenerator::Philox) return std::make_unique<PhiloxNoise>(seed);
    return std::make_unique<TorchCpuNoise>(seed);
}

LatentNoise::LatentNoise(const LatentNoiseOptions& options)
    : channels_(std::max<std::size_t>(options.channels, 1)),
      pictures_(std::max<std::size_t>(options.pictures, 1)),
      shared_(options.draw == BatchDraw::Shared) {
    const std::size_t count = options.draw == BatchDraw::OneByOne ? pictures_ : 1;
    for (std::size_t n = 0; n < count; ++n) sources_.push_back(makeNoiseSource(options.generator, options.seed + n));
}

void LatentNoise::fill(std::span<float> out) {
    const std::size_t size = out.size() / pictures_, area = size / channels_;
    planes_.resize(shared_ ? size : size * pictures_);
    const std::size_t share = planes_.size() / sources_.size();
    for (std::size_t n = 0; n < sources_.size(); ++n) sources_[n]->fill(std::span(planes_).subspan(n * share, share));
    for (std::size_t n = 0; n < pictures_; ++n) {
        const float* from = planes_.data() + (shared_ ? 0 : n * size);
        float* to = out.data() + n * size;
        for (std::size_t c = 0; c < channels_; ++c)
            for (std::size_t p = 0; p < area; ++p) to[p * channels_ + c] = from[c * area + p];
    }
}

}  // namespace reelbrush::diffusion
