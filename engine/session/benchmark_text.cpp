#include "engine/session/benchmark.h"

#include <fmt/format.h>

namespace reelbrush::session {

std::vector<std::string> BenchmarkReport::toLines() const {
    constexpr double kMebibyte = 1048576.0;
    std::vector<std::string> lines;
    if (onGpu) {
        lines.push_back(fmt::format("{}, {}x{}", device, width, height));
        lines.push_back(fmt::format("measured peaks: {:.0f} TFLOP/s, {:.0f} GB/s; compiled in {:.2f} s",
                                    peakFloatGflops * 1e-3, peakGigabytesPerSecond, compileSeconds));
    } else {
        lines.push_back(fmt::format("{} ({}), {} threads, {}x{}", processor, instructions, threads, width, height));
        lines.push_back(
            fmt::format("measured peaks: float32 {:.0f} GFLOP/s, int8 {:.0f} GOP/s, {:.0f} GB/s; compiled in {:.2f} s",
                        peakFloatGflops, peakInt8Gops, peakGigabytesPerSecond, compileSeconds));
    }
    lines.emplace_back();
    lines.push_back(fmt::format("{:<18}{:>10}{:>10}{:>9}{:>9}{:>9}{:>9}{:>11}{:>13}{:>15}{:>14}", "stage", "ms", "GOP",
                                "TFLOP/s", "of peak", "GB/s", "of peak", "arena MiB", "weights MiB", "predicted MiB",
                                "measured MiB"));
    const auto mebibytes = [](std::size_t bytes) { return static_cast<double>(bytes) / kMebibyte; };
    for (const StageTiming& stage : stages)
        lines.push_back(
            fmt::format("{:<18}{:>10.2f}{:>10.2f}{:>9.3f}{:>8.0f}%{:>9.1f}{:>8.0f}%{:>11.1f}{:>13.1f}"
                        "{:>15.1f}{:>14.1f}",
                        stage.stage, stage.milliseconds, stage.gigaOperations, stage.teraOperationsPerSecond(),
                        stage.peakFraction * 100.0, stage.gigabytesPerSecond(), stage.bandwidthFraction * 100.0,
                        mebibytes(stage.arenaBytes), mebibytes(stage.weightBytes), mebibytes(stage.predictedPeakBytes),
                        mebibytes(stage.measuredPeakBytes)));
    lines.emplace_back();
    lines.push_back(fmt::format("{:<18}{:<20}{:<24}{:>6}{:>10}{:>10}{:>10}{:>10}{:>10}", "stage", "op", "algorithm",
                                "steps", "ms", "GOP/s", "of peak", "GB/s", "of peak"));
    for (const OpClassTiming& op : ops)
        lines.push_back(fmt::format("{:<18}{:<20}{:<24}{:>6}{:>10.3f}{:>10.0f}{:>9.0f}%{:>10.0f}{:>9.0f}%", op.stage,
                                    op.op, op.algorithm, op.steps, op.milliseconds, op.gigaOperationsPerSecond,
                                    op.peakFraction * 100.0, op.gigabytesPerSecond, op.bandwidthFraction * 100.0));
    for (const StageTiming& stage : stages) {
        lines.emplace_back();
        lines.push_back(stage.stage);
        for (const std::string& line : session::toLines(stage.holders)) lines.push_back("  " + line);
    }
    for (const std::string& note : notes) lines.push_back("note: " + note);
    return lines;
}

nlohmann::ordered_json BenchmarkReport::toJson() const {
    nlohmann::ordered_json json{{"processor", processor},
                                {"instructions", instructions},
                                {"threads", threads},
                                {"width", width},
                                {"height", height},
                                {"peakFloatGflops", peakFloatGflops},
                                {"peakInt8Gops", peakInt8Gops},
                                {"device", device},
                                {"peakGigabytesPerSecond", peakGigabytesPerSecond},
                                {"compileSeconds", compileSeconds},
                                {"notes", notes},
                                {"stages", nlohmann::ordered_json::array()},
                                {"ops", nlohmann::ordered_json::array()}};
    for (const StageTiming& stage : stages)
        json["stages"].push_back({{"stage", stage.stage},
                                  {"milliseconds", stage.milliseconds},
                                  {"gigaOperations", stage.gigaOperations},
                                  {"gigabytes", stage.gigabytes},
                                  {"teraOperationsPerSecond", stage.teraOperationsPerSecond()},
                                  {"gigabytesPerSecond", stage.gigabytesPerSecond()},
                                  {"peakFraction", stage.peakFraction},
                                  {"bandwidthFraction", stage.bandwidthFraction},
                                  {"arenaBytes", stage.arenaBytes},
                                  {"weightBytes", stage.weightBytes},
                                  {"predictedPeakBytes", stage.predictedPeakBytes},
                                  {"measuredPeakBytes", stage.measuredPeakBytes},
                                  {"holders", session::toJson(stage.holders)}});
    for (const OpClassTiming& op : ops)
        json["ops"].push_back({{"stage", op.stage},
                               {"op", op.op},
                               {"algorithm", op.algorithm},
                               {"steps", op.steps},
                               {"milliseconds", op.milliseconds},
                               {"gigaOperationsPerSecond", op.gigaOperationsPerSecond},
                               {"gigabytesPerSecond", op.gigabytesPerSecond},
                               {"peakFraction", op.peakFraction},
                               {"bandwidthFraction", op.bandwidthFraction}});
    return json;
}

}  // namespace reelbrush::session
