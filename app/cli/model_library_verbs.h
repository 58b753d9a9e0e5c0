#pragma once

#include "app/cli/console.h"
#include "app/cli/verb.h"
#include "engine/library/model_library.h"

#include <memory>
#include <string>

namespace reelbrush::cli {

/// Each adds one word below "models".
void addModelsListVerb(CLI::App& models, Action& action);
void addModelsInspectVerb(CLI::App& models, Action& action);
void addModelsVerifyVerb(CLI::App& models, Action& action);
void addModelsFoldersVerb(CLI::App& models, Action& action);

/// The user's library. Errors: as library::userLibrary and ModelLibrary::open.
Result<std::unique_ptr<library::ModelLibrary>> openUserLibrary(bool examineAll = false);

/// The file or folder that an argument stands for: one that lies there, else a model of the library by its name.
/// Errors: as library::modelAtPath and ModelLibrary::find.
Result<std::filesystem::path> modelAt(library::ModelLibrary& library, const std::string& nameOrPath,
                                      const CancelToken& cancel);

/// Tells a failure: kInterrupted when the user wanted the end, kFailed else.
int failUnlessInterrupted(const Error& error, const InterruptWatch& interrupts);

/// All that the library knows of a model.
Json recordJson(const library::ModelRecord& record);

/// It comes with the program.
bool isBundled(const library::ModelRecord& record);

/// What went wrong with the index itself, which is no failure: on stderr.
void printNotes(const library::ModelLibrary& library);

}  // namespace reelbrush::cli
