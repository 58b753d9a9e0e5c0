#include "kernels/cuda/trace/activity_trace.h"

#include "kernels/cuda/cuda_backend.h"
#include "kernels/plan/plan.h"
#include "tests/kernels/support/memory_weights.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace reelbrush::kernels {
namespace {

using nlohmann::json;

/// Skipped, visibly, where there is no device or no CUPTI.
class ActivityTraceTest : public ::testing::Test {
  protected:
    void SetUp() override {
        if (const auto backend = CudaBackend::create({}); !backend) GTEST_SKIP() << backend.error().message;
        tracer_ = Tracer::create(scratch_.path() / "trace.json").value();
        auto trace = startActivityTrace(tracer_);
        if (!trace) GTEST_SKIP() << trace.error().message;
        trace_ = *std::move(trace);
    }
    static void run(int times) {
        const auto backend = CudaBackend::create({}).value();
        Graph graph;
        const Value x = graph.input("x", {64, 1024});
        const Value scaled = graph.add(Affine{.scale = 2.0f, .offset = 1.0f}, {x});
        graph.output("y", graph.add(ActivationOp{Activation::Silu}, {scaled}));
        Plan plan = Plan::compile(std::move(graph), MemoryWeights{}, *backend).value();
        const auto arena = backend->allocateArena(plan.arenaBytes()).value();
        ASSERT_TRUE(plan.bind({arena->data(), arena->sizeBytes()}));
        for (int i = 0; i < times; ++i) ASSERT_TRUE(plan.run());
    }
    std::vector<json> spans() const {
        std::vector<json> found;
        for (const json& entry : json::parse(std::ifstream(scratch_.path() / "trace.json")))
            if (entry["ph"] == "X") found.push_back(entry);
        return found;
    }

    testing::ScratchFolder scratch_;
    std::shared_ptr<Tracer> tracer_;
    std::unique_ptr<CudaTrace> trace_;
};

TEST_F(ActivityTraceTest, TellsKernelsOfEachReplay) {
    constexpr int kRuns = 20;
    const std::int64_t before = Tracer::now();
    run(kRuns);
    const double tookUs = static_cast<double>(Tracer::now() - before) * 1e-3;
    trace_.reset();
    ASSERT_TRUE(tracer_->flush());
    int kernels = 0, inGraphs = 0, launches = 0;
    for (const json& span : spans()) {
        EXPECT_GT(span["dur"].get<double>(), 0.0) << span;
        EXPECT_LE(span["ts"].get<double>() + span["dur"].get<double>(), tookUs * 2 + 1e6) << "another clock: " << span;
        if (span["name"].get<std::string>().starts_with("graph ")) {
            ++launches;
        } else if (span["args"].contains("blocks")) {
            ++kernels;
            if (span["args"]["graph"] > 0) ++inGraphs;
        }
    }
    // The first run is not recorded, the second is recorded and replayed as all after it.
    EXPECT_EQ(launches, kRuns - 1);
    EXPECT_GE(inGraphs, 2 * (kRuns - 1));
    EXPECT_GT(kernels, inGraphs);
}

/// Also on machines without a driver, or without CUPTI; and a trace that could not begin is in nobody's way.
TEST(ActivityTrace, BeginsOrTellsWhyNot) {
    const testing::ScratchFolder scratch;
    const auto tracer = Tracer::create(scratch.path() / "trace.json").value();
    std::string first;
    for (int i = 0; i < 2; ++i) {
        const auto trace = startActivityTrace(tracer);
        const std::string message = trace ? "begun" : trace.error().message;
        EXPECT_FALSE(message.empty());
        if (i == 0) first = message;
        EXPECT_EQ(message, first);
    }
    RecordProperty("outcome", first);
}

TEST_F(ActivityTraceTest, OnlyOneRunsAtATimeAndTheNextBeginsAnew) {
    const auto second = startActivityTrace(tracer_);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, StatusCode::Unsupported);
    trace_.reset();
    run(1);
    EXPECT_TRUE(spans().empty()) << "nothing is told after the end";
    const auto third = startActivityTrace(tracer_);
    ASSERT_TRUE(third) << third.error().message;
    run(2);
    (*third)->flush();
    ASSERT_TRUE(tracer_->flush());
    EXPECT_FALSE(spans().empty());
}

}  // namespace
}  // namespace reelbrush::kernels
