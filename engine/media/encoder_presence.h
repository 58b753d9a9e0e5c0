#pragma once

#include <string>

namespace reelbrush::media {

/// Whether the FFmpeg that this program runs with brings the encoder of that name ("libx264"). For encoders of graphics
/// cards it does not tell whether there is such a card.
bool hasEncoder(const std::string& name);

/// "5.1.9-0+deb12u1"
std::string ffmpegVersion();

}  // namespace reelbrush::media
