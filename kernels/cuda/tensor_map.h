#pragma once

#include "kernels/tensor/dtype.h"
#include "kernels/tensor/status.h"

#include <cuda.h>

#include <array>
#include <cstdint>

namespace reelbrush::kernels {

/// A tensor of four dimensions, innermost first, and the box of it that one copy moves. The innermost values lie side
/// by side; all other strides, in bytes, and the address are multiples of 16.
struct TensorBoxes {
    const void* address = nullptr;  ///< on the device; not read here
    DType type = DType::F16;        ///< F16 or BF16
    std::array<std::uint64_t, 4> extents{};
    std::array<std::uint64_t, 3> strideBytes{};  ///< of the second to the fourth dimension
    std::array<std::uint32_t, 4> box{};          ///< values; the innermost row is at most 128 bytes
};

/// How a kernel names it to the copy units of compute capability 9.0, with a swizzle of 128 bytes.
/// Errors: Unsupported where the driver knows no such copies or takes no such tensor.
Result<CUtensorMap> mapOf(const TensorBoxes& boxes);

}  // namespace reelbrush::kernels
