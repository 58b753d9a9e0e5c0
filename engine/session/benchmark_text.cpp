#include "engine/session/benchmark.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace reelbrush {

std::string BenchmarkReport::toText() const {
    std::string text = fmt::format("{} ({}), {} threads, {}x{}\n", processor, instructions, threads, width, height);
    text += fmt::format("measured peaks: float32 {:.0f} GFLOP/s, int8 {:.0f} GOP/s; compiled in {:.2f} s\n\n",
                        peakFloatGflops, peakInt8Gops, compileSeconds);
    text += fmt::format("{:<18}{:>10}{:>10}{:>12}{:>12}{:>12}\n", "stage", "ms", "GOP", "GOP/s", "arena MiB",
                        "weights MiB");
    for (const StageTiming& stage : stages)
        text += fmt::format("{:<18}{:>10.2f}{:>10.2f}{:>12.0f}{:>12.1f}{:>12.1f}\n", stage.stage, stage.milliseconds,
                            stage.gigaOperations, stage.gigaOperations / stage.milliseconds * 1e3,
                            static_cast<double>(stage.arenaBytes) / 1048576.0,
                            static_cast<double>(stage.weightBytes) / 1048576.0);
    text += fmt::format("\n{:<18}{:<20}{:<20}{:>6}{:>10}{:>10}{:>10}\n", "stage", "op", "algorithm", "steps", "ms",
                        "GOP/s", "of peak");
    for (const OpClassTiming& op : ops)
        text += fmt::format("{:<18}{:<20}{:<20}{:>6}{:>10.2f}{:>10.0f}{:>9.0f}%\n", op.stage, op.op, op.algorithm,
                            op.steps, op.milliseconds, op.gigaOperationsPerSecond, op.peakFraction * 100.0);
    return text;
}

std::string BenchmarkReport::toJson() const {
    nlohmann::json json{{"processor", processor},
                        {"instructions", instructions},
                        {"threads", threads},
                        {"width", width},
                        {"height", height},
                        {"peakFloatGflops", peakFloatGflops},
                        {"peakInt8Gops", peakInt8Gops},
                        {"compileSeconds", compileSeconds},
                        {"stages", nlohmann::json::array()},
                        {"ops", nlohmann::json::array()}};
    for (const StageTiming& stage : stages)
        json["stages"].push_back({{"stage", stage.stage},
                                  {"milliseconds", stage.milliseconds},
                                  {"gigaOperations", stage.gigaOperations},
                                  {"arenaBytes", stage.arenaBytes},
                                  {"weightBytes", stage.weightBytes}});
    for (const OpClassTiming& op : ops)
        json["ops"].push_back({{"stage", op.stage},
                               {"op", op.op},
                               {"algorithm", op.algorithm},
                               {"steps", op.steps},
                               {"milliseconds", op.milliseconds},
                               {"gigaOperationsPerSecond", op.gigaOperationsPerSecond},
                               {"peakFraction", op.peakFraction}});
    return json.dump(2);
}

}  // namespace reelbrush
