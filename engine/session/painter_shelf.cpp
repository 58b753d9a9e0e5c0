#include "engine/session/painter_shelf.h"

namespace reelbrush::session {

namespace {

diffusion::PaintingSetup withoutLoras(diffusion::PaintingSetup setup) {
    setup.loras.clear();
    return setup;
}

}  // namespace

Result<diffusion::FramePainter*> PainterShelf::take(const diffusion::PaintingSetup& setup,
                                                    const diffusion::PainterOptions& options,
                                                    const CancelToken& cancel) {
    if (!painter_ || options_ != options || withoutLoras(setup_) != withoutLoras(setup)) {
        painter_.reset();  // before the next is made: two would not fit
        RB_ASSIGN(painter_, factory_(setup, options, cancel));
    } else if (setup_.loras != setup.loras) {
        auto painter = std::move(painter_);
        RB_TRY(painter->switchLoras(setup.loras, cancel));
        painter_ = std::move(painter);
    }
    setup_ = setup;
    options_ = options;
    return painter_.get();
}

}  // namespace reelbrush::session
