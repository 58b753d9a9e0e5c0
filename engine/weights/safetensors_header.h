#pragma once

#include "engine/core/status.h"
#include "kernels/tensor/dtype.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::weights {

/// One tensor as the header describes it, already checked against the file.
struct TensorInfo {
    std::string name;  ///< valid UTF-8, may hold anything else
    kernels::DType dtype = kernels::DType::F32;
    std::vector<std::int64_t> shape;  ///< outermost first, at most kMaxStoredRank, each >= 0; empty for a scalar
    std::uint64_t offsetBytes = 0;    ///< from the beginning of the file; any alignment
    std::uint64_t sizeBytes = 0;

    /// Product of the shape; 1 for a scalar.
    std::int64_t elements() const;
};

/// "[320,4,3,3]", "[]" for a scalar.
std::string shapeText(std::span<const std::int64_t> shape);

/// What the head of a safetensors file says.
struct SafetensorsHeader {
    std::vector<TensorInfo> tensors;  ///< sorted by name, no name twice
    std::map<std::string, std::string, std::less<>> metadata;
};

constexpr std::size_t kMaxStoredRank = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;

/// Reads and checks the head of a safetensors file of any origin. Touches only the header's pages.
/// file: the whole file; displayName: how errors call it, quoted already.
/// After success every tensor lies inside the file, none overlap, none leave a gap, and shape times element size is the
/// byte range: the rules of the format's reference implementation, and ranks of at most kMaxStoredRank.
/// Errors: BadInput with the file and, where there is one, the tensor; Unsupported for element types we do not know.
/// Source: https://github.com/huggingface/safetensors (format description).
Result<SafetensorsHeader> parseSafetensorsHeader(std::span<const std::byte> file, std::string_view displayName);

}  // namespace reelbrush::weights
