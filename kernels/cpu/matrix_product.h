#pragma once

#include "kernels/tensor/status.h"

#include <cstdint>

namespace reelbrush::kernels {

/// c += scale * a @ b; all row-major f32 and dense, c overlaps neither.
struct MatrixProduct {
    const float* a = nullptr;                       ///< [rows, inner]
    const float* b = nullptr;                       ///< [inner, columns]
    float* c = nullptr;                             ///< [rows, columns]
    std::int64_t rows = 0, columns = 0, inner = 0;  ///< at least 1
    float scale = 1;
};

/// A product outside any plan, such as merging weights. Runs on as many threads as OpenMP gives the caller.
/// Errors: those of oneDNN (out of memory).
Status addMatrixProduct(const MatrixProduct& product);

}  // namespace reelbrush::kernels
