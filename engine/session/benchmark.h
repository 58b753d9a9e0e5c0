#pragma once

#include "engine/core/status.h"
#include "engine/diffusion/compute_device.h"
#include "engine/session/memory_report.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/tensor/tracer.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace reelbrush::session {

/// What is measured: the files of a model, or a full-size model of random weights, which needs no files.
enum class BenchmarkWeights { Stored, RandomSd15, RandomSdxl };

/// Which stages are measured.
enum class BenchmarkStages { All, Unet, Vae, Text };

struct BenchmarkOptions {
    int width = 512, height = 512;  ///< rounded up to multiples of 16, for full models of 64
    int threads = 0;                ///< 0: all processors this process may use
    int repeats = 5;                ///< the fastest counts
    kernels::Precision precision = kernels::Precision::Fastest;
    BenchmarkWeights weights = BenchmarkWeights::Stored;
    BenchmarkStages stages = BenchmarkStages::All;
    diffusion::ComputeDevice device{diffusion::ComputeDevice::Kind::Cpu, 0};
    std::vector<int> batches{1, 2};              ///< of the UNet's steps
    std::filesystem::path model{};               ///< of stored weights: a starter model's folder or any full model
    std::filesystem::path algorithmCacheFile{};  ///< empty: choices are measured anew
    std::shared_ptr<kernels::Tracer> tracer{};   ///< where what happens when is written; may be null
};

/// One stage of painting a frame.
struct StageTiming {
    /// "vae encode", "unet step", "unet step guided", "vae decode", "style tokens", "text encoder", "text encoder 2"
    std::string stage;
    double milliseconds = 0.0;
    double gigaOperations = 0.0;  ///< 2 per multiply-add, of the ops that count
    double gigabytes = 0.0;       ///< that all steps must move at least
    /// Share of the time that the operations would take at the measured peak of their types (float32 or int8).
    double peakFraction = 0.0;
    /// Share of the time that moving the bytes would take at the memory's measured peak.
    double bandwidthFraction = 0.0;
    std::size_t arenaBytes = 0, weightBytes = 0;
    std::size_t predictedPeakBytes = 0;   ///< what was resident before, and arena and weights
    std::size_t measuredPeakBytes = 0;    ///< resident at most, from compiling on; 0 where the system does not tell
    std::vector<MemoryHolder> holders{};  ///< who holds what while it runs, as predicted and as counted

    double teraOperationsPerSecond() const { return gigaOperations / milliseconds; }
    double gigabytesPerSecond() const { return gigabytes / milliseconds * 1e3; }
};

/// All steps of one stage that share an op class and an algorithm.
struct OpClassTiming {
    std::string stage, op, algorithm;
    int steps = 0;
    double milliseconds = 0.0;
    double gigaOperationsPerSecond = 0.0;
    double gigabytesPerSecond = 0.0;
    double peakFraction = 0.0;       ///< of the machine's measured peak for the type; 0 where memory is what counts
    double bandwidthFraction = 0.0;  ///< of the memory's measured peak
};

struct BenchmarkReport {
    std::string processor, instructions;
    std::string device;  ///< what computed: "CPU", or the GPU's name
    int threads = 0, width = 0, height = 0;
    double peakFloatGflops = 0.0,
           peakInt8Gops = 0.0;            ///< measured in the same run; the first in the type that a GPU computes in
    double peakGigabytesPerSecond = 0.0;  ///< of the memory that the device computes in, measured in the same run
    bool onGpu = false;
    std::vector<StageTiming> stages;
    std::vector<OpClassTiming> ops;
    double compileSeconds = 0.0;
    std::vector<std::string> notes;  ///< sentences for the user

    /// A table for people, and the same as one JSON object.
    std::vector<std::string> toLines() const;
    nlohmann::ordered_json toJson() const;
};

/// Times a model's stages and their op classes on this machine. Blocks for some seconds, for minutes with full models.
/// Errors: those of opening and compiling the model.
Result<BenchmarkReport> runBenchmark(const BenchmarkOptions& options);

}  // namespace reelbrush::session
