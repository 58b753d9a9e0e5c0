#pragma once

#include "kernels/tensor/dtype.h"
#include "kernels/tensor/status.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace reelbrush::kernels {

/// Some of a stored weight's values, and where they belong on the device. A stored weight is [outputs, inputs, area],
/// area being kernel height times width, or 1; on the device it is [outputs, area, pitch], pitch >= inputs.
struct WeightPiece {
    const std::byte* values = nullptr;  ///< 16-byte aligned; whole 16 bytes are read, the last ones too
    DType stored = DType::F32;
    std::uint32_t first = 0, count = 0;  ///< which of the stored values these are
    std::uint32_t inputs = 1, area = 1, pitch = 1;
    /// f16, one for each `scaleBlock` values; the one of the value `first` comes first. Null: none.
    const std::uint16_t* scales = nullptr;
    std::uint32_t scaleBlock = 1;
};

/// Queues the conversion of a piece to F16, BF16 or F32 at its place in `to`, the first value of the whole weight.
Status placeWeights(const WeightPiece& piece, DType type, void* to, cudaStream_t stream);

}  // namespace reelbrush::kernels
