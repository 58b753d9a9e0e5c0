#include "tests/kernels/support/test_tensor.h"

#include <random>

namespace reelbrush::kernels {

namespace {

/// In [0, 1). The library's distributions differ between implementations; this does not.
double uniform(std::mt19937_64& generator) {
    return static_cast<double>(generator() >> 11) * 0x1p-53;
}

}  // namespace

TestTensor randomTensor(const Shape& shape, std::uint64_t seed, float low, float high) {
    std::mt19937_64 generator(seed);
    TestTensor tensor{shape, std::vector<float>(static_cast<std::size_t>(shape.elements()))};
    for (float& value : tensor.values) value = static_cast<float>(low + (high - low) * uniform(generator));
    return tensor;
}

TestTensor normalTensor(const Shape& shape, std::uint64_t seed, float mean, float deviation) {
    std::mt19937_64 generator(seed);
    TestTensor tensor{shape, std::vector<float>(static_cast<std::size_t>(shape.elements()))};
    for (float& value : tensor.values) {
        double sum = -6.0;
        for (int i = 0; i < 12; ++i) sum += uniform(generator);
        value = static_cast<float>(mean + deviation * sum);
    }
    return tensor;
}

}  // namespace reelbrush::kernels
