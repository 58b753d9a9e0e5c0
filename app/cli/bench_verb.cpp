#include "app/cli/argument_values.h"
#include "app/cli/console.h"
#include "app/cli/exit_code.h"
#include "app/cli/precision_option.h"
#include "app/cli/verb.h"
#include "engine/core/xdg_folders.h"
#include "engine/session/benchmark.h"
#include "engine/session/model_folders.h"

#include <memory>
#include <string>

namespace reelbrush::cli {

namespace {

struct BenchArguments {
    std::string size = "512x512", model = "starter";
    int threads = 0, repeats = 5;
    kernels::Precision precision = kernels::Precision::Fastest;
    bool json = false;
};

int bench(const BenchArguments& arguments) {
    const auto size = parseSize(arguments.size);
    if (!size) return refuseUsage(size.error().message);
    const auto model = session::findModelFolder(arguments.model);
    if (!model) return failWith(model.error());
    session::BenchmarkOptions options;
    options.width = size->width;
    options.height = size->height;
    options.threads = arguments.threads;
    options.repeats = arguments.repeats;
    options.precision = arguments.precision;
    options.modelFolder = *model;
    options.algorithmCacheFile = cacheFolder() / "algorithms.json";
    const auto report = session::runBenchmark(options);
    if (!report) return failWith(report.error());
    if (arguments.json) {
        printJson(report->toJson());
        return kDone;
    }
    for (const std::string& line : report->toLines()) printLine(line);
    return kDone;
}

}  // namespace

void addBenchVerb(CLI::App& program, Action& action) {
    const auto arguments = std::make_shared<BenchArguments>();
    CLI::App* verb = program.add_subcommand("bench", "time the stages of painting on this machine");
    verb->footer(
        "Each stage and each class of ops in it, against what the processor can do at best, measured in the same run.\n"
        "Other programs at work on the machine lower every number.");
    verb->add_option("--size", arguments->size, "of the frame; default 512x512")->type_name("WxH");
    verb->add_option("--model", arguments->model, "a model's name or folder; default: starter")->type_name("MODEL");
    verb->add_option("--threads", arguments->threads, "default: every processor this process may use")
        ->check(CLI::Range(0, 1024));
    verb->add_option("--repeats", arguments->repeats, "the fastest of so many runs counts; default 5")
        ->check(CLI::Range(1, 1000));
    addPrecisionOption(*verb, arguments->precision);
    verb->add_flag("--json", arguments->json, "print the report as JSON");
    verb->callback([arguments, &action] { action = [arguments](InterruptWatch&) { return bench(*arguments); }; });
}

}  // namespace reelbrush::cli
