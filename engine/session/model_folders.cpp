#include "engine/session/model_folders.h"

#include "engine/core/xdg_folders.h"
#include "engine/weights/diffusers_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <system_error>

namespace reelbrush::session {

namespace {

namespace fs = std::filesystem;

void addFrom(const fs::path& parent, bool bundled, std::map<std::string, ModelFolder>& found) {
    std::error_code error;
    for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
        if (!weights::DiffusersFolder::isOne(entry->path())) continue;
        const std::string name = entry->path().filename().string();
        found[name] = {name, entry->path(), bundled};
    }
}

}  // namespace

std::vector<ModelFolder> listModelFolders() {
    std::map<std::string, ModelFolder> found;
    addFrom(resourcesFolder() / "models", true, found);
    addFrom(dataFolder() / "models", false, found);
    std::vector<ModelFolder> models;
    for (auto& [name, model] : found) models.push_back(std::move(model));
    return models;
}

Result<fs::path> findModelFolder(const std::string& nameOrPath) {
    const std::vector<ModelFolder> models = listModelFolders();
    const auto named =
        std::find_if(models.begin(), models.end(), [&](const ModelFolder& model) { return model.name == nameOrPath; });
    if (named != models.end()) return named->folder;
    std::error_code ignored;
    if (nameOrPath.find('/') != std::string::npos && fs::is_directory(nameOrPath, ignored)) return fs::path(nameOrPath);
    std::vector<std::string> names;
    for (const ModelFolder& model : models) names.push_back(model.name);
    return fail(StatusCode::BadInput,
                fmt::format("there is no model '{}' in {} or {}; there are: {}", nameOrPath,
                            (dataFolder() / "models").string(), (resourcesFolder() / "models").string(),
                            names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

}  // namespace reelbrush::session
