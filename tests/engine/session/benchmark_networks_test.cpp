#include "engine/session/benchmark_networks.h"

#include "kernels/plan/random_weights.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <map>

namespace reelbrush::session {
namespace {

using Parameters = std::map<std::string, std::int64_t>;

/// Values over all weights of each stage.
Parameters parametersOf(const BenchmarkOptions& options) {
    Parameters result;
    const auto networks = benchmarkNetworks(options);
    EXPECT_TRUE(networks) << networks.error().message;
    if (!networks) return result;
    for (const BenchmarkNetwork& network : *networks) {
        EXPECT_TRUE(network.graph.status()) << network.graph.status().error().message;
        result[network.stage] = kernels::RandomWeights(network.graph).parameters();
    }
    return result;
}

BenchmarkOptions smallest(BenchmarkWeights weights) {
    BenchmarkOptions options;
    options.width = options.height = 64;
    options.weights = weights;
    return options;
}

// The published models' parameters; of the text encoders without the token embedding, which no plan reads.

TEST(BenchmarkNetworks, RandomSd15HasTheSizeOfThePublishedModel) {
    const Parameters expected{{"text encoder", 123'060'480 - 49408 * 768},
                              {"vae encode", 34'163'664},
                              {"unet step", 859'520'964},
                              {"unet step guided", 859'520'964},
                              {"vae decode", 49'490'199}};
    EXPECT_EQ(parametersOf(smallest(BenchmarkWeights::RandomSd15)), expected);
}

TEST(BenchmarkNetworks, RandomSdxlHasTheSizeOfThePublishedModel) {
    const Parameters expected{{"text encoder", 123'060'480 - 49408 * 768},
                              {"text encoder 2", 694'659'840 - 1280 * 1280 - 49408 * 1280},
                              {"vae encode", 34'163'664},
                              {"unet step", 2'567'463'684},
                              {"unet step guided", 2'567'463'684},
                              {"vae decode", 49'490'199}};
    EXPECT_EQ(parametersOf(smallest(BenchmarkWeights::RandomSdxl)), expected);
}

TEST(BenchmarkNetworks, OnlyTheStagesThatWereAskedFor) {
    BenchmarkOptions options = smallest(BenchmarkWeights::RandomSd15);
    for (const auto& [stages, count] :
         {std::pair{BenchmarkStages::Unet, 2u}, {BenchmarkStages::Vae, 2u}, {BenchmarkStages::Text, 1u}}) {
        options.stages = stages;
        EXPECT_EQ(parametersOf(options).size(), count);
    }
}

TEST(BenchmarkNetworks, SizesGrowToWhatTheModelCanPaint) {
    BenchmarkOptions options = smallest(BenchmarkWeights::RandomSd15);
    options.width = 500;
    options.height = 1;
    const BenchmarkOptions rounded = roundedForModel(options);
    EXPECT_EQ(rounded.width, 512);
    EXPECT_EQ(rounded.height, 64);
}

TEST(Benchmark, TimesAStoredFullModelAndComparesItsMemory) {
    BenchmarkOptions options = smallest(BenchmarkWeights::Stored);
    options.model = testing::fixturesFolder() / "sd15-tiny" / "single_file.safetensors";
    options.repeats = 1;
    options.precision = kernels::Precision::Int8;  // no algorithm has to be timed
    const auto report = runBenchmark(options);
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_EQ(report->stages.size(), 5u);
    for (const StageTiming& stage : report->stages) {
        EXPECT_GT(stage.milliseconds, 0.0) << stage.stage;
        EXPECT_GT(stage.gigaOperations, 0.0) << stage.stage;
        EXPECT_GT(stage.peakFraction, 0.0) << stage.stage;
        EXPECT_GT(stage.weightBytes, 0u) << stage.stage;
        EXPECT_GE(stage.predictedPeakBytes, stage.arenaBytes + stage.weightBytes) << stage.stage;
    }
    EXPECT_EQ(report->toJson()["stages"].size(), 5u);
}

TEST(Benchmark, AModelThatIsNotThereIsNamed) {
    BenchmarkOptions options = smallest(BenchmarkWeights::Stored);
    options.model = "no-such-model.safetensors";
    const auto report = runBenchmark(options);
    ASSERT_FALSE(report);
    EXPECT_NE(report.error().message.find("no-such-model"), std::string::npos) << report.error().message;
}

}  // namespace
}  // namespace reelbrush::session
