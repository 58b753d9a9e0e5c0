#pragma once

#include "app/cli/interrupt_watch.h"

#include <CLI/CLI.hpp>
#include <functional>

namespace reelbrush::cli {

/// What the command line asked for, run after all of it was understood. Returns an exit code.
using Action = std::function<int(InterruptWatch&)>;

/// Each adds one verb to the program's command line; when that verb is named, `action` becomes what it does.
void addStylizeVerb(CLI::App& program, Action& action);
void addStylesVerb(CLI::App& program, Action& action);
void addModelsVerb(CLI::App& program, Action& action);
void addInspectVerb(CLI::App& program, Action& action);
void addDoctorVerb(CLI::App& program, Action& action);
void addCoherenceVerb(CLI::App& program, Action& action);
void addContactSheetVerb(CLI::App& program, Action& action);
void addCacheVerb(CLI::App& program, Action& action);
void addBenchVerb(CLI::App& program, Action& action);

}  // namespace reelbrush::cli
