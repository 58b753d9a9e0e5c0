#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace reelbrush {

/// Where memory is: the host's, a GPU's, or the host's that a GPU reaches too (page-locked).
enum class MemoryPlace { Ram, Gpu, Pinned };

/// Who holds memory, for reports: what was predicted beside what was counted. Empty: nobody predicts, or counts, it.
struct MemoryHolder {
    std::string name;  ///< "UNet", "VAE", "work space", "decoded frames"
    MemoryPlace place = MemoryPlace::Ram;
    std::optional<std::size_t> predictedBytes{};
    std::optional<std::size_t> heldBytes{};  ///< now
    std::optional<std::size_t> peakBytes{};  ///< at most so far

    bool operator==(const MemoryHolder&) const = default;
};

}  // namespace reelbrush
