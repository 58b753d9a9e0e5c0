#include "engine/diffusion/vae/each_frame.h"

namespace reelbrush::diffusion {

void forEachFrame(std::size_t frames, const std::function<void(std::size_t)>& work) {
#pragma omp parallel for schedule(static) if (frames > 1)
    for (std::size_t frame = 0; frame < frames; ++frame) work(frame);
}

}  // namespace reelbrush::diffusion
