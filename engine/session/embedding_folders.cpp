#include "engine/session/embedding_folders.h"

#include "engine/library/library_folders.h"

#include <algorithm>
#include <system_error>

namespace reelbrush::session {

Result<std::vector<std::filesystem::path>> embeddingFolders() {
    RB_ASSIGN(const auto folders, library::libraryFolders());
    std::vector<std::filesystem::path> found;
    for (const auto& folder : folders)
        for (const auto& candidate :
             {folder, folder / "embeddings", folder / "models" / "embeddings", folder.parent_path() / "embeddings"}) {
            std::error_code ignored;
            if (candidate == folder && folder.filename() != "embeddings") continue;
            if (std::filesystem::is_directory(candidate, ignored) && std::ranges::find(found, candidate) == found.end())
                found.push_back(candidate);
        }
    return found;
}

}  // namespace reelbrush::session
