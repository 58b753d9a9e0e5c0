#pragma once

#include "kernels/tensor/dtype.h"
#include "kernels/tensor/status.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace reelbrush::kernels {

/// Values as int8 with a scale for each kScaleBlock of them that lie side by side: first all values, then all scales,
/// as bfloat16. Beside one scale for a whole row this halves the error, for 3 % more memory.
struct QuantisedLayout {
    static constexpr std::size_t kScaleBlock = 64;

    /// values: how many there are; they are filled up with zeros to whole blocks.
    explicit QuantisedLayout(std::size_t values) : blocks((values + kScaleBlock - 1) / kScaleBlock) {}

    std::size_t blocks;
    std::size_t values() const { return blocks * kScaleBlock; }
    std::size_t scalesOffset() const { return (values() + 255) / 256 * 256; }
    std::size_t sizeBytes() const { return scalesOffset() + blocks * sizeof(std::uint16_t); }
};

/// Queues the rounding of layout.values() values of F16, BF16 or F32. Both addresses are 256-byte aligned, on the
/// device.
Status quantiseValues(const void* from, DType type, const QuantisedLayout& layout, std::byte* to, cudaStream_t stream);
/// And back: writes layout.values() values.
Status expandValues(const std::byte* from, const QuantisedLayout& layout, DType type, void* to, cudaStream_t stream);

}  // namespace reelbrush::kernels
