#include "app/cli/model_library_verbs.h"

namespace reelbrush::cli {

void addModelsVerb(CLI::App& program, Action& action) {
    CLI::App* verb = program.add_subcommand("models", "list and verify models; look into a file of weights");
    verb->require_subcommand(1);
    addModelsListVerb(*verb, action);
    addModelsInspectVerb(*verb, action);
    addModelsVerifyVerb(*verb, action);
    addModelsFoldersVerb(*verb, action);
}

}  // namespace reelbrush::cli
