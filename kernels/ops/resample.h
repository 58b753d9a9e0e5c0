#pragma once

#include "kernels/tensor/shape.h"
#include "kernels/tensor/status.h"

#include <span>

namespace reelbrush::kernels {

/// Nearest-neighbour resize of [N,H,W,C] to [N,height,width,C]; source index floor(i * in / out).
struct UpsampleNearest {
    int height = 0, width = 0;
};

/// [N,H,W,C] to [N,H/factor,W/factor,C*factor^2]; output channel c*factor^2 + dy*factor + dx (PyTorch's order).
struct PixelUnshuffle {
    int factor = 2;
};

/// The inverse: [N,H,W,C*factor^2] to [N,H*factor,W*factor,C].
struct PixelShuffle {
    int factor = 2;
};

Result<Shape> outputShape(const UpsampleNearest& op, std::span<const Shape> inputs);
Result<Shape> outputShape(const PixelUnshuffle& op, std::span<const Shape> inputs);
Result<Shape> outputShape(const PixelShuffle& op, std::span<const Shape> inputs);

}  // namespace reelbrush::kernels
