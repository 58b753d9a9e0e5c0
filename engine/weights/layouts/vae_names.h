#pragma once

#include "engine/weights/layouts/name_translation.h"

#include <string_view>

namespace reelbrush::weights {

/// Levels of the decoder of an AutoencoderKL under LDM names; its blocks are numbered from the finest one.
int ldmVaeLevels(const ListedWeights& stored, std::string_view prefix);

/// LDM names of an AutoencoderKL to those of diffusers. Names without prefix. Source: diffusers, single_file_utils.
NameTranslation ldmVaeName(std::string_view name, int levels);

/// Diffusers' own names, those of its versions before 0.15 (attention's query, key, value, proj_attn) made new.
NameTranslation diffusersVaeName(std::string_view name);

}  // namespace reelbrush::weights
