#include "engine/session/benchmark.h"

#include <cstdio>
#include <cstdlib>
#include <string>

/// `reelbrush-cli bench --random` without the program's media libraries, for machines that lack them.
/// Usage: stage_bench sd15|sdxl|starter SIZE DEVICE fastest|float32 unet|vae|text|all BATCH...
int main(int argc, char** argv) {
    using namespace reelbrush;
    if (argc < 7) return EXIT_FAILURE;
    const std::string model = argv[1], precision = argv[4], stage = argv[5];
    session::BenchmarkOptions options;
    if (model == "starter")
        options.model = std::string(REELBRUSH_SOURCE_DIR) + "/resources/models/starter";
    else
        options.weights =
            model == "sdxl" ? session::BenchmarkWeights::RandomSdxl : session::BenchmarkWeights::RandomSd15;
    options.width = options.height = std::atoi(argv[2]);
    const auto device = diffusion::ComputeDevice::parse(argv[3]);
    if (!device) return EXIT_FAILURE;
    options.device = *device;
    options.repeats = 20;
    options.precision = precision == "float32" ? kernels::Precision::Float32 : kernels::Precision::Fastest;
    using Stages = session::BenchmarkStages;
    options.stages = stage == "unet"   ? Stages::Unet
                     : stage == "vae"  ? Stages::Vae
                     : stage == "text" ? Stages::Text
                                       : Stages::All;
    options.batches.clear();
    for (int i = 6; i < argc; ++i) options.batches.push_back(std::atoi(argv[i]));
    const auto report = session::runBenchmark(options);
    if (!report) {
        std::fprintf(stderr, "%s\n", report.error().message.c_str());
        return EXIT_FAILURE;
    }
    for (const std::string& line : report->toLines()) std::puts(line.c_str());
    return EXIT_SUCCESS;
}
