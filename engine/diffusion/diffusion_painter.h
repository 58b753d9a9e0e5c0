#pragma once

#include "engine/diffusion/frame_painter.h"

namespace reelbrush::diffusion {

/// Paints with SD 1.5, SD 2.x or SDXL on the CPU: image-to-image from a prompt, with LoRAs, ControlNets and whatever
/// else the setup names. Errors: as FramePainter::create.
Result<std::unique_ptr<FramePainter>> createDiffusionPainter(const PaintingSetup& setup, const PainterOptions& options,
                                                             const CancelToken& cancel);

}  // namespace reelbrush::diffusion
