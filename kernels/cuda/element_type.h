#pragma once

#include "kernels/tensor/dtype.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

namespace reelbrush::kernels {

/// Calls `work` with a value of the C++ type that stands for F16, BF16 or F32: work(T{}).
template <typename Work>
decltype(auto) withElement(DType type, Work&& work) {
    if (type == DType::F16) return work(__half{});
    if (type == DType::BF16) return work(__nv_bfloat16{});
    return work(float{});
}

#ifdef __CUDACC__
__device__ inline float toFloat(float value) {
    return value;
}
__device__ inline float toFloat(__half value) {
    return __half2float(value);
}
__device__ inline float toFloat(__nv_bfloat16 value) {
    return __bfloat162float(value);
}

/// Rounds to nearest even.
template <typename T>
__device__ inline T fromFloat(float value) {
    if constexpr (std::is_same_v<T, __half>)
        return __float2half_rn(value);
    else if constexpr (std::is_same_v<T, __nv_bfloat16>)
        return __float2bfloat16_rn(value);
    else
        return value;
}

/// As many elements as 16 bytes hold, loaded and stored at once.
template <typename T>
struct alignas(16) Vector {
    static constexpr int kCount = 16 / static_cast<int>(sizeof(T));
    T values[kCount];
};
#endif

}  // namespace reelbrush::kernels
