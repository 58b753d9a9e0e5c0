#pragma once

#include "engine/diffusion/frame_painter.h"

namespace reelbrush::diffusion {

/// The bundled starter model on the CPU: structure image and style tokens in, painting out.
/// Errors: as FramePainter::create.
Result<std::unique_ptr<FramePainter>> createStarterPainter(const PaintingSetup& setup, const PainterOptions& options,
                                                           const CancelToken& cancel);

}  // namespace reelbrush::diffusion
