#pragma once

#include "engine/core/cancel_token.h"
#include "engine/core/status.h"
#include "engine/library/model_library.h"

#include <filesystem>
#include <string>
#include <vector>

namespace reelbrush::library {

/// What looking through the folders of a library brought to light.
struct LibraryUpdate {
    std::vector<ModelRecord> current;  ///< all that is there now, sorted by path
    std::vector<ModelRecord> changed;  ///< those of them that are new or have changed
    std::vector<std::filesystem::path> removed;
    std::vector<std::string> notes;
};

/// Looks through the folders and examines only what `known` does not hold as it is now. What is known of folders that
/// are not there or not asked for is left alone. A file that was moved keeps its hash.
/// Errors: Cancelled.
Result<LibraryUpdate> findChanges(const LibraryOptions& options, std::vector<ModelRecord> known,
                                  const CancelToken& cancel);

}  // namespace reelbrush::library
