#pragma once

#include <filesystem>

namespace reelbrush {

/// The user's folders after the XDG base directory specification, each ending in "reelbrush"; not created here.
/// $XDG_CONFIG_HOME, $XDG_CACHE_HOME and $XDG_DATA_HOME are honoured where absolute.
std::filesystem::path configFolder();
std::filesystem::path cacheFolder();
std::filesystem::path dataFolder();

/// Data that comes with the program (style cards, starter model, sample clip): $REELBRUSH_RESOURCES, else beside the
/// installed program (../share/reelbrush), else the source tree's resources folder that it was built from.
std::filesystem::path resourcesFolder();

/// The CUDA backend's module: $REELBRUSH_CUDA_MODULE, else beside the installed program (../lib/reelbrush), else in the
/// build tree. May not exist.
std::filesystem::path cudaModuleFile();

}  // namespace reelbrush
