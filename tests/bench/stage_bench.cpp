#include "engine/diffusion/painter_backend.h"
#include "engine/session/benchmark.h"
#include "kernels/plan/plan.h"
#include "kernels/plan/random_weights.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

using namespace reelbrush;

/// Self-attention as in SD 1.5's outermost blocks: B x 4096 tokens, 8 heads of 40.
int timeAttention(const char* device, int batch) {
    diffusion::PainterOptions options;
    options.device = diffusion::ComputeDevice::parse(device).value();
    const auto backend = diffusion::openPainterBackend(options);
    if (!backend) return EXIT_FAILURE;
    kernels::Graph graph;
    const kernels::Shape shape{batch, 4096, 320};
    const auto q = graph.input("q", shape), k = graph.input("k", shape), v = graph.input("v", shape);
    graph.output("y", graph.add(kernels::Attention{.heads = 8, .headSize = 40}, {q, k, v}));
    auto plan = kernels::Plan::compile(graph, kernels::RandomWeights(graph), **backend);
    if (!plan) return EXIT_FAILURE;
    const auto arena = (*backend)->allocateArena(plan->arenaBytes());
    if (!arena || !plan->bind({(*arena)->data(), (*arena)->sizeBytes()})) return EXIT_FAILURE;
    for (const char* name : {"q", "k", "v"}) {
        std::uint32_t state = static_cast<std::uint32_t>(name[0]);
        for (float& value : plan->input(name)) {
            state = state * 1664525u + 1013904223u;
            value = static_cast<float>(state >> 8) * 0x1p-22f - 2.0f;
        }
    }
    const auto steps = plan->profile(50);
    if (!steps) return EXIT_FAILURE;
    std::printf("attention B%d T4096 H8 D40: %.3f ms (%s)\n", batch, steps->front().seconds * 1e3,
                steps->front().algorithm.c_str());
    return EXIT_SUCCESS;
}

}  // namespace

/// `reelbrush-cli bench --random` without the program's media libraries, for machines that lack them.
/// Usage: stage_bench sd15|sdxl|starter SIZE DEVICE fastest|float32 unet|vae|text|all BATCH... [--trace FILE]
///        stage_bench attention DEVICE BATCH
int main(int argc, char** argv) {
    if (argc == 4 && std::string(argv[1]) == "attention") return timeAttention(argv[2], std::atoi(argv[3]));
    std::string trace;
    if (argc > 2 && std::string(argv[argc - 2]) == "--trace") {
        trace = argv[argc - 1];
        argc -= 2;
    }
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
    if (!trace.empty()) {
        auto tracer = kernels::Tracer::create(trace);
        if (!tracer) return EXIT_FAILURE;
        options.tracer = *std::move(tracer);
    }
    const auto report = session::runBenchmark(options);
    if (!report) {
        std::fprintf(stderr, "%s\n", report.error().message.c_str());
        return EXIT_FAILURE;
    }
    for (const std::string& line : report->toLines()) std::puts(line.c_str());
    return EXIT_SUCCESS;
}
