#pragma once

#include <cstdint>

namespace reelbrush::kernels {

/// Largest |value| of a block; 0 for an empty one.
float absoluteMaximum(const float* values, std::int64_t count, int threads);

/// A block of floats to be rounded to integers: q = round(value * inverseScale), to nearest, ties to even.
struct QuantiseBlock {
    const float* values = nullptr;
    std::int64_t count = 0;
    float inverseScale = 1.0f;
    int threads = 1;
};

/// q clamped to [-127, 127]; out has count places.
void quantiseToS8(const QuantiseBlock& block, std::int8_t* out);

/// For values that are never negative (behind a ReLU): q clamped to [0, highest], highest 255, or 127 where products
/// of two neighbours must not saturate 16 bits (processors without VNNI).
void quantiseToU8(const QuantiseBlock& block, int highest, std::uint8_t* out);

/// Rows of floats, each to be rounded with a scale of its own.
struct QuantiseRows {
    const float* values = nullptr;  ///< [rows, channels]
    std::int64_t rows = 0;
    std::int64_t channels = 0;
    int threads = 1;
};

/// out [rows, channels] in [-127, 127], scales [rows]: value ~ out * scale, scale = largest |value| of the row / 127.
/// A row of zeros gets scale 0.
void quantiseRowsToS8(const QuantiseRows& block, std::int8_t* out, float* scales);

}  // namespace reelbrush::kernels
