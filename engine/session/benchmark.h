#pragma once

#include "engine/core/status.h"
#include "kernels/cpu/cpu_backend.h"

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace reelbrush::session {

struct BenchmarkOptions {
    int width = 512, height = 512;  ///< rounded up to multiples of 16
    int threads = 0;                ///< 0: all processors this process may use
    int repeats = 5;                ///< the fastest counts
    kernels::Precision precision = kernels::Precision::Fastest;
    std::filesystem::path modelFolder;
    std::filesystem::path algorithmCacheFile{};  ///< empty: choices are measured anew
};

/// One stage of painting a frame.
struct StageTiming {
    std::string stage;  ///< "vae encode", "unet step", "unet step guided", "vae decode", "style tokens"
    double milliseconds = 0.0;
    double gigaOperations = 0.0;  ///< 2 per multiply-add, of the ops that count
    std::size_t arenaBytes = 0, weightBytes = 0;
};

/// All steps of one stage that share an op class and an algorithm.
struct OpClassTiming {
    std::string stage, op, algorithm;
    int steps = 0;
    double milliseconds = 0.0;
    double gigaOperationsPerSecond = 0.0;
    double peakFraction = 0.0;  ///< of the machine's measured peak for the type; 0 where memory is what counts
};

struct BenchmarkReport {
    std::string processor, instructions;
    int threads = 0, width = 0, height = 0;
    double peakFloatGflops = 0.0, peakInt8Gops = 0.0;  ///< measured in the same run
    std::vector<StageTiming> stages;
    std::vector<OpClassTiming> ops;
    double compileSeconds = 0.0;

    /// A table for people, and the same as one JSON object.
    std::vector<std::string> toLines() const;
    nlohmann::ordered_json toJson() const;
};

/// Times the starter model's stages and their op classes on this machine. Blocks for some seconds.
/// Errors: those of opening and compiling the model.
Result<BenchmarkReport> runBenchmark(const BenchmarkOptions& options);

}  // namespace reelbrush::session
