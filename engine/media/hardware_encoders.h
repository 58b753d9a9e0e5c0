#pragma once

#include "engine/core/status.h"

#include <string>
#include <vector>

namespace reelbrush::media {

/// The NVENC encoders of that card, by FFmpeg's names ("h264_nvenc"), found out by opening each: drivers, cards and
/// their limits on open encoders all have a say. Takes a few tenths of a second where there is a card. Thread: any.
/// Errors: Unsupported (none opens; with the driver's reason), OutOfMemory.
Result<std::vector<std::string>> probeHardwareEncoders(int device);

}  // namespace reelbrush::media
