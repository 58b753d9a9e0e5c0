#include "engine/session/memory_counters.h"

#include "engine/core/process_memory.h"

#include <utility>
#include <vector>

namespace reelbrush::session {

void countMemory(kernels::Tracer& tracer, std::span<const MemoryHolder> holders) {
    tracer.count("resident memory", {{"bytes", static_cast<double>(residentBytes())}});
    for (const auto& [place, name] : {std::pair{MemoryPlace::Ram, "held in RAM"},
                                      {MemoryPlace::Gpu, "held on the GPU"},
                                      {MemoryPlace::Pinned, "held page-locked"}}) {
        std::vector<kernels::TraceValue> values;
        for (const MemoryHolder& holder : holders)
            if (holder.place == place && holder.heldBytes)
                values.push_back({holder.name, static_cast<double>(*holder.heldBytes)});
        if (!values.empty()) tracer.count(name, values);
    }
}

}  // namespace reelbrush::session
