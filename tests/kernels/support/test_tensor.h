#pragma once

#include "kernels/tensor/shape.h"

#include <cstdint>
#include <vector>

namespace reelbrush::kernels {

/// A tensor of a test, by value.
struct TestTensor {
    Shape shape;
    std::vector<float> values;
};

/// Evenly distributed values in [low, high); the same for the same seed on every machine.
TestTensor randomTensor(const Shape& shape, std::uint64_t seed, float low = -1.0f, float high = 1.0f);

/// Bell-shaped values (a sum of uniform ones), as activations of a network have them.
TestTensor normalTensor(const Shape& shape, std::uint64_t seed, float mean = 0.0f, float deviation = 1.0f);

}  // namespace reelbrush::kernels
