#include "engine/diffusion/sampling/torch_noise.h"

#include "engine/diffusion/sampling/cephes_float.h"

#include <cmath>
#include <numbers>
#include <vector>

namespace reelbrush::diffusion {

namespace {
constexpr std::size_t kBlock = 16;
}

TorchCpuNoise::TorchCpuNoise(std::uint64_t seed) : engine_(static_cast<std::uint32_t>(seed)) {}

float TorchCpuNoise::uniform() {
    return static_cast<float>(engine_() & 0xffffffu) * 0x1p-24f;
}

double TorchCpuNoise::uniformDouble() {
    const std::uint64_t high = engine_();
    const std::uint64_t low = engine_();
    return static_cast<double>(((high << 32) | low) & ((std::uint64_t{1} << 53) - 1)) * 0x1p-53;
}

double TorchCpuNoise::nextNormal() {
    if (hasWaiting_) {
        hasWaiting_ = false;
        return waiting_;
    }
    const double angle = 2.0 * std::numbers::pi * uniformDouble();
    const double radius = std::sqrt(-2.0 * std::log1p(-uniformDouble()));
    waiting_ = radius * std::sin(angle);
    hasWaiting_ = true;
    return radius * std::cos(angle);
}

/// Turns sixteen uniform values into normal ones: value j and j + 8 make a pair.
void TorchCpuNoise::fillBlock(float* sixteen) {
    for (std::size_t j = 0; j < kBlock / 2; ++j) {
        const float radius = std::sqrt(-2.0f * cephesLog(1.0f - sixteen[j]));
        const SineCosine angle = cephesSineCosine(2.0f * std::numbers::pi_v<float> * sixteen[j + kBlock / 2]);
        sixteen[j] = radius * angle.cosine;
        sixteen[j + kBlock / 2] = radius * angle.sine;
    }
}

void TorchCpuNoise::fill(std::span<float> out) {
    if (out.size() < kBlock) {
        for (float& value : out) value = static_cast<float>(nextNormal());
        return;
    }
    for (float& value : out) value = uniform();
    std::size_t start = 0;
    for (; start + kBlock <= out.size(); start += kBlock) fillBlock(out.data() + start);
    if (start < out.size()) {  // the last sixteen are drawn anew, over whatever was there
        float* last = out.data() + out.size() - kBlock;
        for (std::size_t i = 0; i < kBlock; ++i) last[i] = uniform();
        fillBlock(last);
    }
}

void fillLatentNoise(std::uint64_t seed, int height, int width, int channels, std::span<float> out) {
    std::vector<float> planes(out.size());
    TorchCpuNoise(seed).fill(planes);
    const auto area = static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
    const auto depth = static_cast<std::size_t>(channels);
    for (std::size_t c = 0; c < depth; ++c)
        for (std::size_t p = 0; p < area; ++p) out[p * depth + c] = planes[c * area + p];
}

}  // namespace reelbrush::diffusion
