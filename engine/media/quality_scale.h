#pragma once

#include "engine/media/encoder_choice.h"

namespace reelbrush::media {

/// Sets an encoder's rate control, from 0 (worst) to 100 (visually lossless and beyond), and its speed, on the scale
/// that this encoder has. Needs choice.codec and choice.format; fills options, globalQuality and profile. Encoders that
/// are not known by name get their "crf" option or a constant quantiser; lossless ones ignore it.
void applyQuality(EncoderChoice& choice, int quality);

}  // namespace reelbrush::media
