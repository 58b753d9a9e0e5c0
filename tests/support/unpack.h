#pragma once

#include <filesystem>

namespace reelbrush::testing {

enum class PackedAs { SingleFile, TarArchive };

/// Unpacks a zstd-compressed file (windows up to 128 MiB) to `target`: a file, or for a tar archive a folder.
/// The target appears whole or not at all; where another process was quicker, its result stays.
/// Throws std::runtime_error when the archive cannot be read or is cut.
void unpack(const std::filesystem::path& archive, const std::filesystem::path& target, PackedAs packedAs);

}  // namespace reelbrush::testing
