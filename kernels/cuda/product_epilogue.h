#pragma once

#include "kernels/ops/activation.h"
#include "kernels/tensor/dtype.h"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace reelbrush::kernels {

/// What follows a product where the library does not do it: y = activation(x + bias + residual).
/// All are of one type, x [rows,pitch], bias [channels], residual and y [rows,channels]; bias and residual may be null.
/// y may be x where pitch is channels.
struct ProductEpilogue {
    const void* x = nullptr;
    const void* bias = nullptr;
    const void* residual = nullptr;
    void* y = nullptr;
    std::int64_t rows = 0;
    int channels = 0, pitch = 0;
    Activation activation = Activation::None;
};

/// Queues it. Errors: Internal.
Status applyEpilogue(const ProductEpilogue& epilogue, DType type, cudaStream_t stream);

}  // namespace reelbrush::kernels
