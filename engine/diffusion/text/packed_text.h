#pragma once

#include "engine/core/status.h"

#include <filesystem>
#include <string>

namespace reelbrush::diffusion {

/// Reads a text that is stored compressed (zstd, one frame that states its size), at most 16 MiB unpacked.
/// Errors: Io (missing, unreadable), BadInput (not zstd, cut, too large), with the path.
Result<std::string> readPackedText(const std::filesystem::path& path);

}  // namespace reelbrush::diffusion
