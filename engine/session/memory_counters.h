#pragma once

#include "engine/core/memory_holder.h"
#include "kernels/tensor/tracer.h"

#include <span>

namespace reelbrush::session {

/// Writes into a trace what stands now: this process's resident memory, and what each holder has, by place.
void countMemory(kernels::Tracer& tracer, std::span<const MemoryHolder> holders);

}  // namespace reelbrush::session
