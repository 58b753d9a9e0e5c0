#include "engine/diffusion/shot_noise.h"

namespace reelbrush::diffusion {

ShotNoise::ShotNoise(const PaintSettings& settings, std::size_t channels, std::size_t valuesPerFrame, bool perFrame)
    : valuesPerFrame_(valuesPerFrame) {
    options_.generator = settings.cudaNoise ? NoiseGenerator::Philox : NoiseGenerator::TorchCpu;
    options_.seed = settings.seed;
    options_.channels = channels;
    if (perFrame) {
        frames_.emplace(options_);
    } else {
        shared_.resize(valuesPerFrame);
        LatentNoise(options_).fill(shared_);
    }
}

std::vector<float> ShotNoise::next() {
    if (!frames_) return shared_;
    std::vector<float> noise(valuesPerFrame_);
    frames_->fill(noise);
    return noise;
}

LatentNoise ShotNoise::fresh(std::size_t frames) const {
    LatentNoiseOptions options = options_;
    options.pictures = frames;
    if (!frames_) options.draw = BatchDraw::Shared;
    LatentNoise noise(options);
    // The first draw was the start's; the next ones are those that PyTorch programs add in the steps.
    std::vector<float> start(frames * valuesPerFrame_);
    noise.fill(start);
    return noise;
}

}  // namespace reelbrush::diffusion
