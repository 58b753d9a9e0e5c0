#pragma once

#include <cstdint>

namespace reelbrush::kernels {

/// Rows of floats, each to be rounded with a scale of its own.
struct QuantiseRows {
    const float* values = nullptr;  ///< [rows, channels]
    std::int64_t rows = 0;
    std::int64_t channels = 0;
    int threads = 1;
};

/// out [rows, channels] in [-127, 127], to nearest, ties to even; scales [rows]: value ~ out * scale,
/// scale = largest |value| of the row / 127. A row of zeros gets scale 0.
void quantiseRowsToS8(const QuantiseRows& block, std::int8_t* out, float* scales);

}  // namespace reelbrush::kernels
