#pragma once

#include <cstddef>
#include <functional>

namespace reelbrush::diffusion {

/// Calls work(frame) for each of `frames`, several at once: what is done to pictures of a batch on the host would
/// otherwise take longer than a GPU takes to paint them. Nothing may be thrown.
void forEachFrame(std::size_t frames, const std::function<void(std::size_t frame)>& work);

}  // namespace reelbrush::diffusion
