#pragma once

#include "engine/weights/layouts/name_translation.h"

#include <string_view>

namespace reelbrush::weights {

/// True for a tiny autoencoder (TAESD), or one half of it, under diffusers names or those of the original files.
bool isTinyVae(const ListedWeights& stored);

/// Names of a TAESD file to those of diffusers' AutoencoderTiny. Original files hold "encoder.N." and "decoder.N."
/// (also "taesd_encoder.N."); their decoder counts its clamp as layer 0, so its numbers are one higher.
TranslatedNames taesdNames(const ListedWeights& stored);

/// Original files of one half hold bare numbers: "1.conv.0.weight". isDecoder: which half this one is.
NameTranslation taesdHalfName(std::string_view name, bool isDecoder);

}  // namespace reelbrush::weights
