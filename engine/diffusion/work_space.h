#pragma once

#include "engine/core/status.h"
#include "engine/diffusion/frame_painter.h"
#include "kernels/plan/backend.h"

#include <memory>

namespace reelbrush::diffusion {

/// The arena that a painter's plans share, of memory.arenaBytes. The peak is known here, before anything large is
/// touched: the place to refuse what would not fit.
/// Errors: OutOfMemory, saying how much is needed for what.
Result<std::unique_ptr<kernels::DeviceMemory>> allocateWorkSpace(const PainterMemory& memory,
                                                                 const PainterOptions& options,
                                                                 kernels::Backend& backend);

}  // namespace reelbrush::diffusion
