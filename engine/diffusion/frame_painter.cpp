#include "engine/diffusion/frame_painter.h"

#include "engine/diffusion/diffusion_painter.h"
#include "engine/diffusion/full_model.h"
#include "engine/diffusion/starter_painter.h"

#include <fmt/format.h>

namespace reelbrush::diffusion {

namespace {

constexpr int kSizeStep = 16;

Status checkSize(const PainterOptions& options) {
    if (options.width > 0 && options.height > 0 && options.width % kSizeStep == 0 && options.height % kSizeStep == 0)
        return {};
    return fail(StatusCode::BadInput, fmt::format("the painting size must be a multiple of {}, got {}x{}", kSizeStep,
                                                  options.width, options.height));
}

}  // namespace

bool PaintSettings::hasSameNoise(const PaintSettings& other) const {
    return freedom == other.freedom && steps == other.steps && seed == other.seed && sampler == other.sampler &&
           tunedSampler == other.tunedSampler && cudaNoise == other.cudaNoise;
}

Result<std::unique_ptr<FramePainter>> FramePainter::create(const PaintingSetup& setup, const PainterOptions& options,
                                                           const CancelToken& cancel) {
    RB_TRY(checkSize(options));
    if (isStarterModel(setup.model)) return createStarterPainter(setup, options, cancel);
    return createDiffusionPainter(setup, options, cancel);
}

}  // namespace reelbrush::diffusion
