#include "engine/session/benchmark.h"

#include "engine/diffusion/starter_graphs.h"
#include "kernels/cpu/peak_flops.h"
#include "kernels/cpu/processor.h"
#include "kernels/plan/plan.h"
#include "kernels/tensor/buffer.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <tuple>

namespace reelbrush::session {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

int roundedUp(int size) {
    return std::max(16, (size + 15) / 16 * 16);
}

/// Compiles and times one stage after another and adds it to the report.
class StageTimer {
  public:
    StageTimer(const BenchmarkOptions& options, BenchmarkReport& report)
        : options_(options),
          report_(report),
          backend_(kernels::CpuOptions{.threads = options.threads,
                                       .precision = options.precision,
                                       .algorithmCacheFile = options.algorithmCacheFile,
                                       .budget = nullptr}) {}

    int threads() const { return backend_.threads(); }

    Status time(const std::string& stage, kernels::Graph graph, const kernels::WeightProvider& weights) {
        const auto compileStart = Clock::now();
        RB_ASSIGN(kernels::Plan plan, kernels::Plan::compile(std::move(graph), weights, backend_));
        report_.compileSeconds += secondsSince(compileStart);
        RB_ASSIGN(kernels::Buffer arena, kernels::Buffer::allocate(plan.arenaBytes(), nullptr, "the benchmark"));
        RB_TRY(plan.bind({arena.data(), arena.sizeBytes()}));
        RB_TRY(plan.run());

        StageTiming timing{stage, 1e9, 0.0, plan.arenaBytes(), plan.weightBytes()};
        for (int i = 0; i < options_.repeats; ++i) {
            const auto start = Clock::now();
            RB_TRY(plan.run());
            timing.milliseconds = std::min(timing.milliseconds, secondsSince(start) * 1e3);
        }
        RB_ASSIGN(const auto steps, plan.profile(options_.repeats));
        for (const auto& step : steps) timing.gigaOperations += step.operations * 1e-9;
        addOpClasses(stage, steps);
        report_.stages.push_back(timing);
        return {};
    }

  private:
    void addOpClasses(const std::string& stage, const std::vector<kernels::StepReport>& steps) {
        struct Sum {
            int steps = 0;
            double seconds = 0.0, operations = 0.0;
            bool int8 = false;
        };
        std::map<std::pair<std::string, std::string>, Sum> sums;
        for (const auto& step : steps) {
            Sum& sum = sums[{step.op, step.algorithm}];
            ++sum.steps;
            sum.seconds += step.seconds;
            sum.operations += step.operations;
            sum.int8 = step.int8;
        }
        std::vector<OpClassTiming> classes;
        for (const auto& [key, sum] : sums) {
            const double gigaPerSecond = sum.seconds > 0 ? sum.operations * 1e-9 / sum.seconds : 0.0;
            const double peak = sum.int8 ? report_.peakInt8Gops : report_.peakFloatGflops;
            classes.push_back({stage, key.first, key.second, sum.steps, sum.seconds * 1e3, gigaPerSecond,
                               peak > 0 ? gigaPerSecond / peak : 0.0});
        }
        std::ranges::sort(classes, std::greater{}, &OpClassTiming::milliseconds);
        report_.ops.insert(report_.ops.end(), classes.begin(), classes.end());
    }

    const BenchmarkOptions& options_;
    BenchmarkReport& report_;
    kernels::CpuBackend backend_;
};

}  // namespace

Result<BenchmarkReport> runBenchmark(const BenchmarkOptions& options) {
    RB_ASSIGN(const auto model, diffusion::StarterModel::open(options.modelFolder));
    BenchmarkReport report;
    report.width = roundedUp(options.width);
    report.height = roundedUp(options.height);
    report.processor = kernels::processorName();
    report.instructions = kernels::onednnInstructionSet();
    StageTimer timer(options, report);
    report.threads = timer.threads();
    RB_ASSIGN(const kernels::PeakRates peaks, kernels::measurePeakRates(timer.threads()));
    report.peakFloatGflops = peaks.float32;
    report.peakInt8Gops = peaks.int8;

    const int width = report.width, height = report.height;
    RB_TRY(timer.time("vae encode", diffusion::starterEncodeGraph(model, width, height), *model.vae));
    RB_TRY(timer.time("unet step", diffusion::starterDenoiseGraph(model, width, height, 1), *model.unet));
    RB_TRY(timer.time("unet step guided", diffusion::starterDenoiseGraph(model, width, height, 2), *model.unet));
    RB_TRY(timer.time("vae decode", diffusion::starterDecodeGraph(model, width, height), *model.vae));
    RB_TRY(timer.time("style tokens", diffusion::starterVisionGraph(model), *model.imageEncoder));
    return report;
}

}  // namespace reelbrush::session
