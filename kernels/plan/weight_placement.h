#pragma once

#include <cstddef>

namespace reelbrush::kernels {

/// How a device keeps the weights of linears and convolutions, from what is fastest to what takes least of its memory.
/// Biases, norms and small layers always stay as they are.
struct WeightPlacement {
    /// As int8 with a scale for every few values; expanded right before each product.
    bool int8 = false;
    /// 0..1, share of the bytes that stays in the host's memory and is copied, layer by layer, while the layers before
    /// compute.
    double streamedShare = 0.0;
    /// Device memory that layers on their way share; a larger layer is not streamed. More lets copies run further
    /// ahead. Used where something is streamed.
    std::size_t ringBytes = std::size_t{128} << 20;
    /// Layers of fewer bytes are small.
    std::size_t smallBytes = std::size_t{256} << 10;

    bool operator==(const WeightPlacement&) const = default;
};

}  // namespace reelbrush::kernels
