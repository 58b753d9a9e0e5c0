#pragma once

#include "engine/core/status.h"

#include <filesystem>
#include <vector>

namespace reelbrush::library {

/// Where models are looked for, first wins: the folders of $REELBRUSH_MODEL_PATH (separated by colons), those that the
/// user added, the user's models folder, the bundled models. Missing ones are kept: a disk may come back.
/// Trees of ComfyUI (models/checkpoints, models/loras ...) and A1111 (models/Stable-diffusion, embeddings ...) can be
/// added as they are: what a file is, its tensors say.
/// Errors: BadInput where the settings file is damaged.
Result<std::vector<std::filesystem::path>> libraryFolders();

/// Those that the user added, in order. Kept in models.json in the configuration folder.
Result<std::vector<std::filesystem::path>> addedFolders();
/// Errors: BadInput where it is no folder or was added before; Io.
Status addLibraryFolder(const std::filesystem::path& folder);
/// Takes a folder off the list; nothing in it is touched. Errors: BadInput where it is not on the list; Io.
Status removeLibraryFolder(const std::filesystem::path& folder);

}  // namespace reelbrush::library
