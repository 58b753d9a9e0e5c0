#pragma once

#include "engine/core/status.h"

#include <filesystem>
#include <string>
#include <vector>

namespace reelbrush::session {

struct ModelFolder {
    std::string name;  ///< what style cards call it
    std::filesystem::path folder;
    bool bundled = false;
};

/// Models in the user's models folder and those that come with the program, by name; the user's hides a bundled one of
/// the same name. What lies there and is no model folder is passed over.
std::vector<ModelFolder> listModelFolders();

/// The folder of a model that a style card names: one of the above, or a path.
/// Errors: BadInput, listing the models that there are.
Result<std::filesystem::path> findModelFolder(const std::string& nameOrPath);

}  // namespace reelbrush::session
