#include "app/cli/model_library_verbs.h"

#include "app/cli/exit_code.h"
#include "engine/core/xdg_folders.h"
#include "engine/library/model_paths.h"

#include <system_error>

namespace reelbrush::cli {

Result<std::unique_ptr<library::ModelLibrary>> openUserLibrary(bool examineAll) {
    RB_ASSIGN(library::LibraryOptions options, library::userLibrary());
    options.examineAll = examineAll;
    return library::ModelLibrary::open(std::move(options));
}

Result<std::filesystem::path> modelAt(library::ModelLibrary& library, const std::string& nameOrPath,
                                      const CancelToken& cancel) {
    std::error_code ignored;
    if (std::filesystem::exists(nameOrPath, ignored)) return std::filesystem::path(nameOrPath);
    RB_TRY(library::modelAtPath(nameOrPath));
    RB_ASSIGN(const library::ModelRecord record, library.find(nameOrPath, {}, cancel));
    return record.path;
}

Json recordJson(const library::ModelRecord& record) {
    return {{"name", record.name()},
            {"path", record.path.string()},
            {"kind", record.kind},
            {"baseModel", record.baseModel},
            {"variant", record.variant},
            {"prediction", record.prediction},
            {"title", record.title},
            {"author", record.author},
            {"licence", record.licence},
            {"description", record.description},
            {"triggerWords", record.triggerWords},
            {"family", record.family},
            {"rank", record.rank},
            {"thumbnail", record.thumbnail.string()},
            {"sizeBytes", record.sizeBytes},
            {"xxh3", record.xxh3},
            {"problem", record.problem},
            {"bundled", isBundled(record)}};
}

bool isBundled(const library::ModelRecord& record) {
    return resourcesFolder() / "models" / record.relative == record.path;
}

int failUnlessInterrupted(const Error& error, const InterruptWatch& interrupts) {
    if (!interrupts.interrupted()) return failWith(error);
    printError("interrupted");
    return kInterrupted;
}

void printNotes(const library::ModelLibrary& library) {
    for (const std::string& note : library.notes()) printError(note);
}

}  // namespace reelbrush::cli
