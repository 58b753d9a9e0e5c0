#pragma once

#include "engine/core/status.h"

#include <filesystem>
#include <vector>

namespace reelbrush::session {

/// Where the textual inversions of prompts are looked for: folders named "embeddings" in or beside the folders of the
/// model library (ComfyUI keeps them in models/embeddings, A1111 beside models), those that exist.
/// Errors: as library::libraryFolders.
Result<std::vector<std::filesystem::path>> embeddingFolders();

}  // namespace reelbrush::session
