#pragma once

#include "engine/core/memory_holder.h"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace reelbrush::session {

/// Memory at one moment of a render.
struct MemorySample {
    std::int64_t framesDone = 0;
    std::size_t residentBytes = 0;        ///< of this process
    std::vector<MemoryHolder> holders{};  ///< of the painter
};

/// Who held what, and whether it grew from frame to frame.
struct MemoryReport {
    std::vector<MemoryHolder> holders{};  ///< at the end of painting, each with what was predicted for it
    MemorySample early{};                 ///< once a few frames are painted
    MemorySample late{};                  ///< once all are

    /// What holders gained between both, where they are counted.
    std::int64_t heldGrowthBytes() const;
    std::int64_t residentGrowthBytes() const;
};

/// "RAM", "GPU", "pinned".
const char* nameOf(MemoryPlace place);

nlohmann::ordered_json toJson(std::span<const MemoryHolder> holders);
nlohmann::ordered_json toJson(const MemoryReport& report);
/// A table for people.
std::vector<std::string> toLines(std::span<const MemoryHolder> holders);

}  // namespace reelbrush::session
