#pragma once

#include "kernels/ops/activation.h"

#include <cstdint>

namespace reelbrush::kernels {

/// What turns the integer sums of a quantised product into values:
/// y[r,c] = activation(sums[r,c] * rowScales[r] * columnScales[c] + biases[c] + residual[r,c]).
struct LinearEpilogue {
    const std::int32_t* sums = nullptr;  ///< [rows, columns]
    const float* rowScales = nullptr;
    const float* columnScales = nullptr;
    const float* biases = nullptr;
    const float* residual = nullptr;  ///< [rows, columns], or null
    std::int64_t rows = 0, columns = 0;
    Activation activation = Activation::None;
};

/// On the calling thread alone. output: [rows, columns].
void finishLinear(const LinearEpilogue& epilogue, float* output);

}  // namespace reelbrush::kernels
