#include "app/cli/console.h"
#include "app/cli/exit_code.h"
#include "app/cli/interrupt_watch.h"
#include "app/cli/verb.h"

#include <malloc.h>

#include <cstdio>
#include <exception>
#include <string>

namespace {

using namespace reelbrush;
using namespace reelbrush::cli;

constexpr const char* kFooter =
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.\n"
    "'reelbrush-cli VERB --help' tells more of each verb.";

/// The verb that was being read when the command line turned out wrong.
const CLI::App& readUpTo(const CLI::App& program) {
    const CLI::App* app = &program;
    for (auto parsed = app->get_subcommands(); !parsed.empty(); parsed = app->get_subcommands()) app = parsed.front();
    return *app;
}

/// "'reelbrush-cli models list --help' tells how"
std::string helpHint(const CLI::App& verb) {
    std::string words = verb.get_name();
    for (const CLI::App* app = verb.get_parent(); app; app = app->get_parent()) words = app->get_name() + " " + words;
    return "'" + words + " --help' tells how";
}

std::string withoutTrailing(std::string text, const char* characters) {
    text.erase(text.find_last_not_of(characters) + 1);
    return text;
}

int run(int argc, char** argv) {
    // Frames are large and of one size. Given back to the system each time, they cannot leave gaps that grow; and few
    // pools of memory for the many threads of the codecs waste less.
    mallopt(M_MMAP_THRESHOLD, 256 << 10);
    mallopt(M_ARENA_MAX, 2);
    CLI::App program("Reelbrush restyles video after paintings, drawings and any other picture.", "reelbrush-cli");
    program.set_version_flag("--version", "reelbrush-cli " REELBRUSH_VERSION);
    program.footer(kFooter);
    program.require_subcommand(1);
    Action action;
    for (const auto addVerb : {addStylizeVerb, addStylesVerb, addModelsVerb, addInspectVerb, addDoctorVerb,
                               addCoherenceVerb, addContactSheetVerb, addCacheVerb, addBenchVerb})
        addVerb(program, action);

    try {
        program.parse(argc, argv);
    } catch (const CLI::Success& help) {
        return program.exit(help);
    } catch (const CLI::ParseError& error) {
        const CLI::App& verb = readUpTo(program);
        std::string problem = withoutTrailing(error.what(), ".\n ");
        // What CLI11 says of an unknown verb is only that one is missing.
        if (const auto words = verb.remaining(); !words.empty() && !verb.get_subcommands({}).empty())
            problem = "there is no verb '" + words.front() + "'";
        return refuseUsage(problem + "; " + helpHint(verb));
    }
    InterruptWatch interrupts{CancelToken()};
    return action(interrupts);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const int code = run(argc, argv);
        if (std::fflush(stdout) != 0 && code == kDone) {
            printError("the output could not be written: is the disk full, or the reader gone?");
            return kFailed;
        }
        return code;
    } catch (const std::bad_alloc&) {
        printError("not enough memory");
    } catch (const std::exception& exception) {
        printError(std::string("internal error: ") + exception.what());
    }
    return kFailed;
}
