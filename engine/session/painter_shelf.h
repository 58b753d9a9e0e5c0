#pragma once

#include "engine/core/status.h"
#include "engine/diffusion/frame_painter.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

namespace reelbrush::session {

/// Makes painters: diffusion::FramePainter::create, or a fake in tests.
using PainterFactory = std::function<Result<std::unique_ptr<diffusion::FramePainter>>(
    const diffusion::PaintingSetup& setup, const diffusion::PainterOptions& options, const CancelToken& cancel)>;

/// Keeps the last painter, so that the next job with the same files and size begins at once;
/// other LoRAs are switched in place. Never holds two.
/// Thread: the engine thread; clear() after it is gone.
class PainterShelf {
  public:
    explicit PainterShelf(PainterFactory factory) : factory_(std::move(factory)) {}

    /// The painter stays valid until the next call. Its style is whatever it was last. Errors: those of the factory.
    Result<diffusion::FramePainter*> take(const diffusion::PaintingSetup& setup,
                                          const diffusion::PainterOptions& options, const CancelToken& cancel);
    void clear() { painter_.reset(); }

  private:
    PainterFactory factory_;
    std::unique_ptr<diffusion::FramePainter> painter_;
    diffusion::PaintingSetup setup_;
    diffusion::PainterOptions options_;
};

}  // namespace reelbrush::session
