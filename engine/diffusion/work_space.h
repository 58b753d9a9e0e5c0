#pragma once

#include "engine/core/status.h"
#include "engine/diffusion/frame_painter.h"
#include "kernels/tensor/buffer.h"

namespace reelbrush::diffusion {

/// The arena that a painter's plans share, of memory.arenaBytes. The peak is known here, before anything large is
/// touched: the place to refuse what would not fit.
/// Errors: OutOfMemory, saying how much is needed for what.
Result<kernels::Buffer> allocateWorkSpace(const PainterMemory& memory, const PainterOptions& options);

}  // namespace reelbrush::diffusion
