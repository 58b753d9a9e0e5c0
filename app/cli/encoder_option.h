#pragma once

#include "engine/media/frame_sink.h"

#include <CLI/CLI.hpp>

namespace reelbrush::cli {

/// --encoder: who compresses the film.
void addEncoderOption(CLI::App& verb, media::EncoderPlace& encoder);

}  // namespace reelbrush::cli
