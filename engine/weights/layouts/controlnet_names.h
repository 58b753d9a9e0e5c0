#pragma once

#include "engine/weights/layouts/name_translation.h"

namespace reelbrush::weights {

/// Names of a ControlNet to those of diffusers' ControlNetModel: LDM names with or without "control_model.", or
/// diffusers' own. Empty where the file holds none. Source: diffusers, single_file_utils.
TranslatedNames controlNetNames(const ListedWeights& stored);

/// The kind of a file that people also call ControlNet but that is another network; null where it is none of them.
const char* controlNetRelative(const ListedWeights& stored);

}  // namespace reelbrush::weights
