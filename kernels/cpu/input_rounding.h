#pragma once

#include <cstdint>

namespace reelbrush::kernels {

/// Smallest and largest of some values and zero.
struct ValueRange {
    float lowest = 0.0f;   ///< at most 0
    float highest = 0.0f;  ///< at least 0
};

ValueRange rangeWithZero(const float* values, std::int64_t count, int threads);

/// How values of a range become bytes: byte = round(value / scale) + zeroPoint. Zero is exact, so that padding is, and
/// all of 0..255 is used: behind a ReLU or SiLU, where few values are negative, almost twice as fine as signed bytes.
struct InputRounding {
    float scale = 1.0f;
    float inverseScale = 1.0f;
    std::int32_t zeroPoint = 0;

    /// A silent range gets a harmless scale.
    static InputRounding forRange(const ValueRange& range);
};

/// out: as many bytes as values.
void roundInput(const float* values, std::int64_t count, const InputRounding& rounding, int threads, std::uint8_t* out);

}  // namespace reelbrush::kernels
