#include "engine/library/library_folders.h"

#include "engine/core/xdg_folders.h"
#include "engine/library/model_scanner.h"
#include "engine/weights/json_file.h"
#include "engine/weights/quoted_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace reelbrush::library {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFoldersField = "folders";

fs::path settingsFile() {
    return configFolder() / "models.json";
}

fs::path normal(const fs::path& folder) {
    std::error_code ignored;
    fs::path path = fs::absolute(folder, ignored).lexically_normal();
    return path.has_filename() ? path : path.parent_path();
}

Result<nlohmann::json> readSettings() {
    std::error_code ignored;
    if (!fs::exists(settingsFile(), ignored)) return nlohmann::json::object();
    return weights::readJsonObject(settingsFile());
}

/// Whole or not at all.
Status writeFolders(const std::vector<fs::path>& folders) {
    RB_ASSIGN(nlohmann::json settings, readSettings());
    settings[kFoldersField] = nlohmann::json::array();
    for (const fs::path& folder : folders) settings[kFoldersField].push_back(folder.string());
    const fs::path file = settingsFile(), partial = file.string() + ".part";
    std::error_code problem;
    fs::create_directories(file.parent_path(), problem);
    std::ofstream stream(partial);
    stream << settings.dump(4, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
    stream.close();
    if (stream) fs::rename(partial, file, problem);
    if (stream && !problem) return {};
    fs::remove(partial, problem);
    return fail(StatusCode::Io, fmt::format("the list of model folders cannot be written to {}; is the disk full, or "
                                            "the folder not yours?",
                                            weights::quotedPath(file)));
}

bool isUtf8(const std::string& text) {
    try {
        (void)nlohmann::json(text).dump();
        return true;
    } catch (const nlohmann::json::exception&) {
        return false;
    }
}

std::vector<fs::path> environmentFolders() {
    std::vector<fs::path> folders;
    const char* value = std::getenv("REELBRUSH_MODEL_PATH");
    std::string_view rest = value ? value : "";
    while (!rest.empty()) {
        const std::size_t colon = rest.find(':');
        if (const auto part = rest.substr(0, colon); !part.empty()) folders.push_back(normal(part));
        rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
    }
    return folders;
}

}  // namespace

Result<std::vector<fs::path>> addedFolders() {
    RB_ASSIGN(const nlohmann::json settings, readSettings());
    std::vector<fs::path> folders;
    const auto list = settings.find(kFoldersField);
    if (list == settings.end()) return folders;
    const auto isText = [](const nlohmann::json& entry) { return entry.is_string(); };
    if (!list->is_array() || !std::all_of(list->begin(), list->end(), isText))
        return fail(StatusCode::BadInput, fmt::format("{}: '{}' must be a list of paths; mend the file or delete it",
                                                      weights::quotedPath(settingsFile()), kFoldersField));
    for (const nlohmann::json& entry : *list) folders.emplace_back(entry.get<std::string>());
    return folders;
}

Result<std::vector<fs::path>> libraryFolders() {
    std::vector<fs::path> folders = environmentFolders();
    RB_ASSIGN(const auto added, addedFolders());
    folders.insert(folders.end(), added.begin(), added.end());
    folders.push_back(dataFolder() / "models");
    folders.push_back(resourcesFolder() / "models");
    std::vector<fs::path> once;
    for (const fs::path& folder : folders)
        if (std::ranges::find(once, folder) == once.end()) once.push_back(folder);
    return once;
}

Status addLibraryFolder(const fs::path& folder) {
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        return fail(StatusCode::BadInput,
                    fmt::format("{} {}", weights::quotedPath(folder),
                                fs::exists(folder, ignored) ? "is no folder; add the folder that it lies in"
                                                            : "does not exist"));
    if (isWholeModel(folder))
        return fail(StatusCode::BadInput,
                    fmt::format("{} is a model itself; add the folder that it lies in", weights::quotedPath(folder)));
    if (!isUtf8(normal(folder).string()))
        return fail(StatusCode::BadInput, fmt::format("the name of {} is not UTF-8, so it cannot be put on the list; "
                                                      "rename it, or name it in REELBRUSH_MODEL_PATH",
                                                      weights::quotedPath(folder)));
    RB_ASSIGN(auto folders, addedFolders());
    if (std::ranges::find(folders, normal(folder)) != folders.end())
        return fail(StatusCode::BadInput, fmt::format("{} is on the list already", weights::quotedPath(folder)));
    folders.push_back(normal(folder));
    return writeFolders(folders);
}

Status removeLibraryFolder(const fs::path& folder) {
    RB_ASSIGN(auto folders, addedFolders());
    const auto found = std::ranges::find(folders, normal(folder));
    if (found == folders.end())
        return fail(StatusCode::BadInput, fmt::format("{} is not on the list of added folders ('models folders list' "
                                                      "shows them)",
                                                      weights::quotedPath(folder)));
    folders.erase(found);
    return writeFolders(folders);
}

}  // namespace reelbrush::library
