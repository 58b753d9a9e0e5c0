#include "app/cli/argument_values.h"
#include "app/cli/console.h"
#include "app/cli/exit_code.h"
#include "app/cli/precision_option.h"
#include "app/cli/verb.h"
#include "engine/core/cancel_token.h"
#include "engine/core/xdg_folders.h"
#include "engine/session/benchmark.h"
#include "engine/session/model_locator.h"

#include <memory>
#include <string>
#include <vector>

namespace reelbrush::cli {

namespace {

struct BenchArguments {
    std::string size = "512x512", model = "starter", device = "auto";
    std::vector<int> batches{1, 2};
    int threads = 0, repeats = 5;
    kernels::Precision precision = kernels::Precision::Fastest;
    std::string stage = "all", trace;
    bool random = false, json = false;
};

/// What --model and --random stand for together; Stored with --random is a mistake.
session::BenchmarkWeights weightsOf(const BenchArguments& arguments) {
    if (!arguments.random) return session::BenchmarkWeights::Stored;
    if (arguments.model == "sd15") return session::BenchmarkWeights::RandomSd15;
    if (arguments.model == "sdxl") return session::BenchmarkWeights::RandomSdxl;
    return session::BenchmarkWeights::Stored;
}

session::BenchmarkStages stagesOf(const std::string& name) {
    if (name == "unet") return session::BenchmarkStages::Unet;
    if (name == "vae") return session::BenchmarkStages::Vae;
    if (name == "text") return session::BenchmarkStages::Text;
    return session::BenchmarkStages::All;
}

int bench(const BenchArguments& arguments) {
    const auto size = parseSize(arguments.size);
    if (!size) return refuseUsage(size.error().message);
    session::BenchmarkOptions options;
    options.weights = weightsOf(arguments);
    options.stages = stagesOf(arguments.stage);
    if (options.weights == session::BenchmarkWeights::Stored) {
        if (arguments.random)
            return refuseUsage("--random: there are random weights for --model sd15 and --model sdxl, not for '" +
                               arguments.model + "'");
        auto model = session::libraryLocator()(session::ModelRole::Base, arguments.model, CancelToken());
        if (!model) return failWith(model.error());
        options.model = std::move(*model);
    }
    const auto device = diffusion::ComputeDevice::parse(arguments.device);
    if (!device) return refuseUsage(device.error().message);
    options.device = *device;
    options.batches = arguments.batches;
    options.width = size->width;
    options.height = size->height;
    options.threads = arguments.threads;
    options.repeats = arguments.repeats;
    options.precision = arguments.precision;
    options.algorithmCacheFile = cacheFolder() / "algorithms.json";
    if (!arguments.trace.empty()) {
        auto tracer = kernels::Tracer::create(arguments.trace);
        if (!tracer) return failWith(tracer.error());
        options.tracer = *std::move(tracer);
    }
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
        "Bytes are those that must move at least; what a cache holds moves faster than memory's measured peak.\n"
        "Other programs at work on the machine lower every number.");
    verb->add_option("--size", arguments->size, "of the frame; default 512x512")->type_name("WxH");
    verb->add_option("--model", arguments->model,
                     "a model's name, file or folder; with --random sd15 or sdxl; default: starter")
        ->type_name("MODEL");
    verb->add_flag("--random", arguments->random, "full-size random weights in place of a model's files");
    verb->add_option("--stage", arguments->stage, "unet, vae, text or all; default all")
        ->type_name("STAGE")
        ->check(CLI::IsMember({"unet", "vae", "text", "all"}));
    verb->add_option("--device", arguments->device,
                     "auto (default: a GPU where one can be used), cpu, cuda, cuda:NUMBER")
        ->type_name("DEVICE");
    verb->add_option("--batch", arguments->batches, "frames or prompts of a UNet's step, such as 1,16; default 1,2")
        ->delimiter(',')
        ->type_name("N,...")
        ->check(CLI::Range(1, 1024));
    verb->add_option("--threads", arguments->threads, "default: every processor this process may use")
        ->check(CLI::Range(0, 1024));
    verb->add_option("--repeats", arguments->repeats, "the fastest of so many runs counts; default 5")
        ->check(CLI::Range(1, 1000));
    addPrecisionOption(*verb, arguments->precision);
    verb->add_option(
            "--trace", arguments->trace,
            "write what happens when into FILE, for ui.perfetto.dev or chrome://tracing: stages, memory, and a "
            "GPU's kernels and copies; costs speed")
        ->type_name("FILE");
    verb->add_flag("--json", arguments->json, "print the report as JSON");
    verb->callback([arguments, &action] { action = [arguments](InterruptWatch&) { return bench(*arguments); }; });
}

}  // namespace reelbrush::cli
