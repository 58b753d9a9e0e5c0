#pragma once

#include "engine/weights/layouts/name_translation.h"

#include <string_view>

namespace reelbrush::weights {

/// AnimateDiff's names of a motion module, or those of diffusers' MotionAdapter, to the latter.
/// The second attention's position embedding repeats the first one's and stays unused.
/// Source: diffusers, MotionAdapter and its conversion script.
TranslatedNames motionNames(const ListedWeights& stored);

}  // namespace reelbrush::weights
