#pragma once

#include <span>

namespace reelbrush::diffusion {

// How the weights of a prompt act on a text encoder's states [tokens, channels], one weight a token.
// Weights that are all 1 leave the states as they are, to the bit.

/// AUTOMATIC1111: states times weight, then all times the factor that restores their mean. Where that factor would
/// turn the states around or blow them up more than kLargestMeanFactor, it is left out.
void multiplyByWeights(std::span<float> states, std::span<const float> weights);
inline constexpr double kLargestMeanFactor = 100.0;

/// ComfyUI: away from, or towards, the states of the empty prompt.
void interpolateByWeights(std::span<float> states, std::span<const float> empty, std::span<const float> weights);

}  // namespace reelbrush::diffusion
