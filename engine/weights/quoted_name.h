#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace reelbrush::weights {

/// A name from a file of unknown origin, made fit for an error sentence: in single quotes, control characters (terminal
/// escapes among them) as \xNN, and the middle left out beyond 120 bytes.
std::string quotedName(std::string_view name);
/// The same for a path; never shortened, since the user has to find the file.
std::string quotedPath(const std::filesystem::path& path);

}  // namespace reelbrush::weights
