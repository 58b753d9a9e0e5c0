/// What a benchmark tells of each stage beside its time.
#include "engine/session/benchmark.h"
#include "tests/support/test_data.h"
#include "tests/support/trace_file.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace reelbrush::session {
namespace {

BenchmarkOptions smallest() {
    BenchmarkOptions options;
    options.width = options.height = 64;
    options.threads = 2;
    options.repeats = 2;
    options.precision = kernels::Precision::Float32;
    options.stages = BenchmarkStages::Unet;
    options.batches = {1};
    options.model = REELBRUSH_SOURCE_DIR "/resources/models/starter";
    return options;
}

TEST(BenchmarkSight, EachStageIsHeldAgainstTheMeasuredPeaks) {
    const auto report = runBenchmark(smallest());
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_FALSE(report->onGpu);
    EXPECT_GT(report->peakGigabytesPerSecond, 0.0);
    ASSERT_EQ(report->stages.size(), 1u);
    const auto json = report->toJson();
    for (std::size_t i = 0; i < report->stages.size(); ++i) {
        const StageTiming& stage = report->stages[i];
        EXPECT_NEAR(stage.teraOperationsPerSecond() * stage.milliseconds, stage.gigaOperations, 1e-9) << stage.stage;
        EXPECT_NEAR(stage.gigabytesPerSecond() * stage.milliseconds * 1e-3, stage.gigabytes, 1e-9) << stage.stage;
        EXPECT_NEAR(stage.bandwidthFraction * report->peakGigabytesPerSecond, stage.gigabytesPerSecond(), 1e-6);
        EXPECT_GT(stage.bandwidthFraction, 0.0) << stage.stage;
        const auto& told = json["stages"][i];
        EXPECT_EQ(told["teraOperationsPerSecond"], stage.teraOperationsPerSecond());
        EXPECT_EQ(told["gigabytesPerSecond"], stage.gigabytesPerSecond());
        EXPECT_EQ(told["peakFraction"], stage.peakFraction);
        EXPECT_EQ(told["bandwidthFraction"], stage.bandwidthFraction);
    }
    for (const OpClassTiming& op : report->ops) EXPECT_GT(op.bandwidthFraction, 0.0) << op.op;
    std::string text;
    for (const std::string& line : report->toLines()) text += line + "\n";
    for (const char* word : {"TFLOP/s", "GB/s", "predicted MiB", "work space"})
        EXPECT_NE(text.find(word), std::string::npos) << word;

    // Who holds what is predicted and counted.
    for (const StageTiming& stage : report->stages) {
        ASSERT_EQ(stage.holders.size(), 2u) << stage.stage << ": the stage and its work space";
        EXPECT_EQ(stage.holders[0].name, stage.stage);
        EXPECT_EQ(stage.holders[0].predictedBytes, stage.weightBytes);
        EXPECT_EQ(stage.holders[1].predictedBytes, stage.arenaBytes);
        for (const MemoryHolder& holder : stage.holders)
            EXPECT_NEAR(static_cast<double>(holder.heldBytes.value_or(0)),
                        static_cast<double>(holder.predictedBytes.value_or(0)),
                        0.03 * static_cast<double>(holder.predictedBytes.value_or(0)))
                << stage.stage << ", " << holder.name;
    }
}

TEST(BenchmarkSight, ATraceTellsOfTheStages) {
    const reelbrush::testing::ScratchFolder scratch;
    BenchmarkOptions options = smallest();
    options.tracer = kernels::Tracer::create(scratch.path() / "trace.json").value();
    const auto report = runBenchmark(options);
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_TRUE(options.tracer->flush());
    const reelbrush::testing::TraceFile trace(scratch.path() / "trace.json");
    EXPECT_EQ(trace.overlap(), "");
    for (const StageTiming& stage : report->stages) EXPECT_EQ(trace.spans(stage.stage).size(), 1u);
    EXPECT_EQ(trace.spans("compile").size(), report->stages.size());
    EXPECT_EQ(trace.spans("run").size(), report->stages.size() * 3) << "two repeats and one that is not counted";
    EXPECT_TRUE(trace.counters().contains("held in RAM"));
}

}  // namespace
}  // namespace reelbrush::session
