#pragma once

#include "engine/diffusion/painting_setup.h"

namespace reelbrush::diffusion {

/// How many frames a painter takes at once with these options. Where the choice is free, a processor paints one after
/// the other, which costs it nothing; a GPU as many as it takes to keep it busy, about four million pixels (measured),
/// but no more than the clip has.
int framesAtOnce(const PainterOptions& options, bool onDevice);

}  // namespace reelbrush::diffusion
