#pragma once

#include "kernels/ops/activation.h"

#include <span>

namespace reelbrush::kernels {

/// Group normalisation over [H,W] and the channels of a group (Wu and He 2018), with what usually surrounds it:
/// y = activation(norm(x + channelAdd) * gamma + beta).
/// Inputs: x [N,H,W,C] or [N,T,C]; then, where hasChannelAdd, a vector [N,C] or [1,C] added to every pixel
/// (the timestep embedding of a resnet block); then, where hasStatistics, [N,2 * groups]: the means of the groups and
/// then their variances (of x + channelAdd), which are used instead of those of x: x is a tile of a larger image.
/// Weights: gamma [C], beta [C].
struct GroupNorm {
    int groups = 32;
    float epsilon = 1e-5f;
    bool hasChannelAdd = false;
    bool hasStatistics = false;
    Activation activation = Activation::None;
};

Result<Shape> outputShape(const GroupNorm& op, std::span<const Shape> inputs);

}  // namespace reelbrush::kernels
