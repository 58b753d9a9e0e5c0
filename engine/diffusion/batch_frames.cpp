#include "engine/diffusion/batch_frames.h"

#include <algorithm>

namespace reelbrush::diffusion {

int framesAtOnce(const PainterOptions& options, bool onDevice) {
    constexpr int kMost = 16;
    constexpr std::int64_t kPixels = std::int64_t{1} << 22;
    if (options.batchFrames > 0) return options.batchFrames;
    if (!onDevice) return 1;
    const std::int64_t pixels = std::max<std::int64_t>(1, std::int64_t{options.width} * options.height);
    const int most = std::clamp(options.mostBatchFrames, 1, kMost);
    return static_cast<int>(std::clamp<std::int64_t>(kPixels / pixels, 1, most));
}

}  // namespace reelbrush::diffusion
