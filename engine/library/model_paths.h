#pragma once

#include "engine/core/status.h"

#include <filesystem>
#include <optional>
#include <string>

namespace reelbrush::library {

/// What an artist's text means as a path: the file or folder that lies there, absolute; nothing where it may be a name
/// in the library instead. A single word that is a folder here is a name too.
/// Errors: BadInput for addresses, and for texts that can only be paths ("/a/ink.safetensors", "./ink") where nothing
/// lies there; Io where a folder on the way may not be entered.
Result<std::optional<std::filesystem::path>> modelAtPath(const std::string& text);

}  // namespace reelbrush::library
