#include "engine/session/painter_shelf.h"

namespace reelbrush::session {

Result<diffusion::FramePainter*> PainterShelf::take(const diffusion::PaintingSetup& setup,
                                                    const diffusion::PainterOptions& options,
                                                    const CancelToken& cancel) {
    if (!painter_ || setup_ != setup || options_ != options) {
        painter_.reset();  // before the next is made: two would not fit
        RB_ASSIGN(painter_, factory_(setup, options, cancel));
        setup_ = setup;
        options_ = options;
    }
    return painter_.get();
}

}  // namespace reelbrush::session
