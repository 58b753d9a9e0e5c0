#include "engine/diffusion/sampling/philox_noise.h"

#include "engine/diffusion/sampling/gpu_float.h"

#include <array>
#include <cmath>
#include <numbers>

namespace reelbrush::diffusion {

namespace {

using Words = std::array<std::uint32_t, 4>;

constexpr int kRounds = 10;
constexpr float kRadians = 0x1p-32f * 2 * std::numbers::pi_v<float>;  ///< of a step of the 32-bit angle

Words philox(Words counter, std::uint64_t seed) {
    auto key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
    for (int round = 0; round < kRounds; ++round) {
        const std::uint64_t even = std::uint64_t{0xd2511f53} * counter[0];
        const std::uint64_t odd = std::uint64_t{0xcd9e8d57} * counter[2];
        counter = {static_cast<std::uint32_t>(odd >> 32) ^ counter[1] ^ key0, static_cast<std::uint32_t>(odd),
                   static_cast<std::uint32_t>(even >> 32) ^ counter[3] ^ key1, static_cast<std::uint32_t>(even)};
        key0 += 0x9e3779b9u;
        key1 += 0xbb67ae85u;
    }
    return counter;
}

}  // namespace

void PhiloxNoise::fill(std::span<float> out) {
    for (std::size_t i = 0; i < out.size(); ++i) {
        const Words counter{static_cast<std::uint32_t>(draws_), static_cast<std::uint32_t>(draws_ >> 32),
                            static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(std::uint64_t{i} >> 32)};
        const Words random = philox(counter, seed_);
        const float uniform = std::fma(static_cast<float>(random[0]), 0x1p-32f, 0x1p-33f);
        const float angle = std::fma(static_cast<float>(random[1]), kRadians, kRadians / 2);
        out[i] = std::sqrt(-2.0f * gpuLog(uniform)) * gpuSine(angle);
    }
    ++draws_;
}

}  // namespace reelbrush::diffusion
