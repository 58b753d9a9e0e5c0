#include "app/cli/exit_code.h"
#include "app/cli/model_library_verbs.h"
#include "engine/library/library_folders.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace reelbrush::cli {

namespace {

namespace fs = std::filesystem;

int listFolders(bool json) {
    const auto folders = library::libraryFolders();
    if (!folders) return failWith(folders.error());
    const auto added = library::addedFolders();
    if (!added) return failWith(added.error());
    Json list = Json::array();
    for (const fs::path& folder : *folders) {
        std::error_code ignored;
        const bool isAdded = std::ranges::find(*added, folder) != added->end();
        const bool exists = fs::is_directory(folder, ignored);
        if (json)
            list.push_back({{"path", folder.string()}, {"added", isAdded}, {"exists", exists}});
        else
            printLine(fmt::format("{}{}{}", folder.string(), isAdded ? " (added)" : "", exists ? "" : " (not there)"));
    }
    if (json) printJson({{"folders", list}});
    return kDone;
}

int finish(const Status& status, bool json) {
    if (!status) return failWith(status.error());
    return json ? listFolders(true) : kDone;
}

}  // namespace

void addModelsFoldersVerb(CLI::App& models, Action& action) {
    CLI::App* verb = models.add_subcommand("folders", "where models are looked for: list, add, remove");
    verb->require_subcommand(1);

    const auto json = std::make_shared<bool>(false);
    CLI::App* list = verb->add_subcommand("list", "the folders, the first one wins");
    list->add_flag("--json", *json, "print them as JSON");
    list->callback([json, &action] { action = [json](InterruptWatch&) { return listFolders(*json); }; });

    const auto folder = std::make_shared<std::string>();
    CLI::App* add = verb->add_subcommand("add", "look for models in a folder and all below it");
    add->add_option("FOLDER", *folder, "any folder; those of ComfyUI and A1111 are read as they are")->required();
    add->add_flag("--json", *json, "print the folders as JSON");
    add->callback([folder, json, &action] {
        action = [folder, json](InterruptWatch&) { return finish(library::addLibraryFolder(*folder), *json); };
    });

    CLI::App* remove = verb->add_subcommand("remove", "take a folder off the list; nothing in it is touched");
    remove->add_option("FOLDER", *folder, "a folder that was added")->required();
    remove->add_flag("--json", *json, "print the folders as JSON");
    remove->callback([folder, json, &action] {
        action = [folder, json](InterruptWatch&) { return finish(library::removeLibraryFolder(*folder), *json); };
    });
}

}  // namespace reelbrush::cli
