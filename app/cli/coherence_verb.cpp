#include "app/cli/console.h"
#include "app/cli/exit_code.h"
#include "app/cli/stylize_run.h"
#include "app/cli/verb.h"
#include "engine/session/film_comparison.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>

namespace reelbrush::cli {

namespace {

struct CoherenceArguments {
    std::string input, output;
    bool json = false;
};

/// JSON has no infinity.
Json finite(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

int measure(const CoherenceArguments& arguments, const InterruptWatch& interrupts) {
    const auto report = session::measureCoherence(arguments.input, arguments.output, interrupts.token());
    if (!report) return tellFailure(report.error(), interrupts);
    if (arguments.json) {
        printJson({{"frames", report->frames},
                   {"inputWarpError", report->inputError},
                   {"outputWarpError", report->outputError},
                   {"ratio", finite(report->ratio)},
                   {"worstOverMean", finite(report->worstOverMean)},
                   {"sharpnessRatio", finite(report->sharpnessRatio)}});
        return kDone;
    }
    printLine(fmt::format("{} frames: warp error {:.6f}, {:.2f} times the input's {:.6f}", report->frames,
                          report->outputError, report->ratio, report->inputError));
    printLine(fmt::format("worst pair of frames {:.2f} times the mean, sharpness {:.2f} times the input's",
                          report->worstOverMean, report->sharpnessRatio));
    return kDone;
}

}  // namespace

void addCoherenceVerb(CLI::App& program, Action& action) {
    const auto arguments = std::make_shared<CoherenceArguments>();
    CLI::App* verb = program.add_subcommand("coherence", "measure how steady a restyled film is, against its input");
    verb->footer(
        "The warp error is the squared difference between a frame and the next one carried back along the\n"
        "input's motion (Lai et al. 2018). A ratio of 1 is as steady as the input, below 1 steadier.");
    verb->add_option("IN", arguments->input, "the film before")->required();
    verb->add_option("OUT", arguments->output, "what was made of it, by this or any other program")->required();
    verb->add_flag("--json", arguments->json, "print the measurements as JSON");
    verb->callback([arguments, &action] {
        action = [arguments](InterruptWatch& interrupts) { return measure(*arguments, interrupts); };
    });
}

}  // namespace reelbrush::cli
