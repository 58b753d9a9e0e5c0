#include "engine/session/benchmark.h"

#include "engine/core/process_memory.h"
#include "engine/core/xdg_folders.h"
#include "engine/diffusion/painter_backend.h"
#include "engine/diffusion/part_holders.h"
#include "engine/session/benchmark_networks.h"
#include "engine/session/device_peaks.h"
#include "engine/session/memory_counters.h"
#include "kernels/cpu/peak_flops.h"
#include "kernels/cpu/processor.h"
#include "kernels/cuda_module/cuda_module.h"
#include "kernels/plan/plan.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <map>
#include <tuple>

namespace reelbrush::session {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Lets the system's record of this process's highest resident memory begin anew; 0 from it where it cannot.
bool forgetPeakResident() {
    std::ofstream file("/proc/self/clear_refs");
    file << "5" << std::flush;
    return file.good();
}

/// Something that is neither zero nor large: zeros make some processors faster.
void fillInputs(const kernels::Graph& graph, kernels::Plan& plan) {
    for (const auto& input : graph.inputs()) {
        const auto values = plan.input(input.first);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7 % 31) * 0.0625f - 0.9375f;
    }
}

/// Compiles and times one stage after another and adds it to the report.
class StageTimer {
  public:
    StageTimer(const BenchmarkOptions& options, BenchmarkReport& report, kernels::Backend& backend)
        : options_(options),
          report_(report),
          backend_(backend),
          trace_(kernels::traceRow(options.tracer.get(), "bench")) {}

    Status time(BenchmarkNetwork network) {
        StageTiming timing;
        timing.stage = network.stage;
        const kernels::TraceSpan stageSpan(trace_, network.stage.c_str());
        const std::size_t residentBefore = residentBytes();
        const bool knowsPeak = forgetPeakResident();
        const auto compileStart = Clock::now();
        RB_ASSIGN(kernels::Plan plan, compile(network));
        report_.compileSeconds += secondsSince(compileStart);
        RB_ASSIGN(const auto arena, allocateArena(plan));
        RB_TRY(plan.bind({arena->data(), arena->sizeBytes()}));
        fillInputs(network.graph, plan);
        RB_TRY(run(plan, -1));
        timing.holders = holdersOf(network, plan);
        if (options_.tracer) countMemory(*options_.tracer, timing.holders);

        timing.milliseconds = 1e9;
        for (int i = 0; i < options_.repeats; ++i) {
            const auto start = Clock::now();
            RB_TRY(run(plan, i));
            timing.milliseconds = std::min(timing.milliseconds, secondsSince(start) * 1e3);
        }
        timing.arenaBytes = plan.arenaBytes();
        timing.weightBytes = plan.weightBytes();
        timing.predictedPeakBytes = residentBefore + timing.arenaBytes + timing.weightBytes;
        if (knowsPeak) timing.measuredPeakBytes = peakResidentBytes();
        RB_ASSIGN(const auto steps, profile(plan));
        double secondsAtPeak = 0.0;
        for (const auto& step : steps) {
            timing.gigaOperations += step.operations * 1e-9;
            timing.gigabytes += step.bytes * 1e-9;
            if (const double peak = peakOf(step.int8); peak > 0) secondsAtPeak += step.operations * 1e-9 / peak;
        }
        timing.peakFraction = secondsAtPeak * 1e3 / timing.milliseconds;
        timing.bandwidthFraction = shareOfBandwidth(timing.gigabytesPerSecond());
        addOpClasses(network.stage, steps);
        report_.stages.push_back(std::move(timing));
        return {};
    }

  private:
    Result<kernels::Plan> compile(const BenchmarkNetwork& network) {
        const kernels::TraceSpan span(trace_, "compile");
        const kernels::HeldFor part(backend_, network.stage);
        return kernels::Plan::compile(network.graph, *network.weights, backend_);
    }

    Result<std::unique_ptr<kernels::DeviceMemory>> allocateArena(const kernels::Plan& plan) {
        const kernels::HeldFor part(backend_, diffusion::kWorkSpacePart);
        return backend_.allocateArena(plan.arenaBytes());
    }

    /// repeat: -1 for the run that is not counted.
    Status run(kernels::Plan& plan, int repeat) {
        const kernels::TraceSpan span(trace_, "run", {"repeat", static_cast<double>(repeat)});
        return plan.run();
    }

    /// Step by step.
    Result<std::vector<kernels::StepReport>> profile(kernels::Plan& plan) {
        const kernels::TraceSpan span(trace_, "profile");
        return plan.profile(options_.repeats);
    }

    /// Without those of the stages before, which hold nothing any more.
    std::vector<MemoryHolder> holdersOf(const BenchmarkNetwork& network, const kernels::Plan& plan) {
        const diffusion::PredictedPart predicted[] = {{network.stage.c_str(), plan.weightBytes()},
                                                      {diffusion::kWorkSpacePart, plan.arenaBytes()}};
        std::vector<MemoryHolder> holders = diffusion::holdersOf(backend_, predicted);
        std::erase_if(holders,
                      [](const MemoryHolder& holder) { return !holder.predictedBytes && holder.heldBytes == 0; });
        return holders;
    }

    double shareOfBandwidth(double gigabytesPerSecond) const {
        return report_.peakGigabytesPerSecond > 0 ? gigabytesPerSecond / report_.peakGigabytesPerSecond : 0.0;
    }

    double peakOf(bool int8) const { return int8 ? report_.peakInt8Gops : report_.peakFloatGflops; }

    void addOpClasses(const std::string& stage, const std::vector<kernels::StepReport>& steps) {
        struct Sum {
            int steps = 0;
            double seconds = 0.0, operations = 0.0, bytes = 0.0;
            bool int8 = false;
        };
        std::map<std::pair<std::string, std::string>, Sum> sums;
        for (const auto& step : steps) {
            Sum& sum = sums[{step.op, step.algorithm}];
            ++sum.steps;
            sum.seconds += step.seconds;
            sum.operations += step.operations;
            sum.bytes += step.bytes;
            sum.int8 = step.int8;
        }
        std::vector<OpClassTiming> classes;
        for (const auto& [key, sum] : sums) {
            const double gigaPerSecond = sum.seconds > 0 ? sum.operations * 1e-9 / sum.seconds : 0.0;
            const double gigabytesPerSecond = sum.seconds > 0 ? sum.bytes * 1e-9 / sum.seconds : 0.0;
            const double peak = peakOf(sum.int8);
            classes.push_back({stage, key.first, key.second, sum.steps, sum.seconds * 1e3, gigaPerSecond,
                               gigabytesPerSecond, peak > 0 ? gigaPerSecond / peak : 0.0,
                               shareOfBandwidth(gigabytesPerSecond)});
        }
        std::ranges::sort(classes, std::greater{}, &OpClassTiming::milliseconds);
        report_.ops.insert(report_.ops.end(), classes.begin(), classes.end());
    }

    const BenchmarkOptions& options_;
    BenchmarkReport& report_;
    kernels::Backend& backend_;
    const kernels::TraceRow trace_;
};

Status measurePeaks(kernels::Backend& backend, BenchmarkReport& report) {
    if (backend.device()) {
        RB_ASSIGN(const DevicePeaks peaks, measureDevicePeaks(backend));
        report.peakFloatGflops = peaks.gigaOperationsPerSecond;
        report.peakGigabytesPerSecond = peaks.gigabytesPerSecond;
        return {};
    }
    RB_ASSIGN(const kernels::PeakRates peaks, kernels::measurePeakRates(report.threads));
    report.peakFloatGflops = peaks.float32;
    report.peakInt8Gops = peaks.int8;
    RB_ASSIGN(report.peakGigabytesPerSecond, measureBandwidth(backend));
    return {};
}

}  // namespace

Result<BenchmarkReport> runBenchmark(const BenchmarkOptions& asked) {
    const BenchmarkOptions options = roundedForModel(asked);
    RB_ASSIGN(std::vector<BenchmarkNetwork> networks, benchmarkNetworks(options));
    BenchmarkReport report;
    report.width = options.width;
    report.height = options.height;
    report.processor = kernels::processorName();
    report.instructions = kernels::onednnInstructionSet();
    diffusion::PainterOptions painter;
    painter.threads = options.threads;
    painter.precision = options.precision;
    painter.device = options.device;
    painter.algorithmCacheFile = options.algorithmCacheFile;
    // Before the backend is opened, so that its graphs are seen.
    std::unique_ptr<kernels::CudaTrace> cudaTrace;
    if (options.tracer && options.device.kind != diffusion::ComputeDevice::Kind::Cpu) {
        auto trace = kernels::traceCuda(cudaModuleFile(), options.tracer);
        if (trace)
            cudaTrace = *std::move(trace);
        else
            report.notes.push_back(trace.error().message);
    }
    RB_ASSIGN(const auto backend, diffusion::openPainterBackend(painter));
    report.device = backend->name();
    report.onGpu = backend->device() != nullptr;
    if (!report.onGpu) report.notes.clear();
    report.threads = options.threads > 0 ? options.threads : kernels::availableProcessors();
    RB_TRY(measurePeaks(*backend, report));
    StageTimer timer(options, report, *backend);
    for (BenchmarkNetwork& network : networks) {
        RB_TRY(timer.time(std::move(network)));
        if (cudaTrace) cudaTrace->flush();
    }
    return report;
}

}  // namespace reelbrush::session
