#pragma once

#include "engine/core/status.h"
#include "engine/diffusion/painting_setup.h"
#include "kernels/plan/backend.h"

#include <memory>

namespace reelbrush::diffusion {

/// The backend that a painter computes on. On a GPU values are half precision, with Precision::Float32 single.
/// Errors: Unsupported or BadInput where the device that was asked for cannot be used, saying why; never with Auto,
/// which then takes the processor. BadInput for int8 on a GPU.
Result<std::unique_ptr<kernels::Backend>> openPainterBackend(const PainterOptions& options);

/// Whether a GPU would paint, so that other stages have the processor for themselves.
bool wouldPaintOnGpu(const PainterOptions& options);

}  // namespace reelbrush::diffusion
