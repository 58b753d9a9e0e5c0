#include "kernels/plan/plan.h"
#include "tests/kernels/support/memory_weights.h"
#include "tests/kernels/support/queue_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace reelbrush::kernels {
namespace {

/// y = 2 (x * factor) + 1
Plan planOn(QueueBackend& backend) {
    Graph graph;
    const Value x = graph.input("x", {1, 4});
    const Value scaled = graph.add(ScaleBy{0}, {x, graph.input("factor", {1})});
    graph.output("y", graph.add(Affine{.scale = 2.0f, .offset = 1.0f}, {scaled}));
    auto plan = Plan::compile(std::move(graph), MemoryWeights{}, backend);
    if (!plan) throw std::runtime_error(plan.error().message);
    return *std::move(plan);
}

TEST(PlanOnADevice, ReplaysWithChangingInputs) {
    QueueBackend backend;
    Plan plan = planOn(backend);
    const auto arena = backend.allocateArena(plan.arenaBytes());
    ASSERT_TRUE(arena);
    ASSERT_TRUE(plan.bind({(*arena)->data(), (*arena)->sizeBytes()}));
    constexpr int kRuns = 10000;
    for (int run = 0; run < kRuns; ++run) {
        const auto base = static_cast<float>(run);
        for (std::size_t i = 0; i < 4; ++i) plan.input("x")[i] = base + static_cast<float>(i);
        plan.input("factor")[0] = 0.5f * static_cast<float>(run % 3);
        ASSERT_TRUE(plan.run());
        for (std::size_t i = 0; i < 4; ++i)
            ASSERT_EQ(plan.output("y")[i],
                      2.0f * (base + static_cast<float>(i)) * 0.5f * static_cast<float>(run % 3) + 1.0f);
    }
    EXPECT_EQ(backend.queue.recordings, 1);
    EXPECT_EQ(backend.queue.replays, kRuns - 1);
}

TEST(PlanOnADevice, RecordsAnewWhereItIsBoundElsewhere) {
    QueueBackend backend;
    Plan plan = planOn(backend);
    for (int place = 0; place < 2; ++place) {
        const auto arena = backend.allocateArena(plan.arenaBytes());
        ASSERT_TRUE(arena);
        ASSERT_TRUE(plan.bind({(*arena)->data(), (*arena)->sizeBytes()}));
        for (int run = 0; run < 3; ++run) {
            std::ranges::fill(plan.input("x"), static_cast<float>(run));
            plan.input("factor")[0] = 1.0f;
            ASSERT_TRUE(plan.run());
            EXPECT_EQ(plan.output("y")[3], 2.0f * static_cast<float>(run) + 1.0f);
        }
    }
    EXPECT_EQ(backend.queue.recordings, 2);
}

TEST(PlanOnADevice, StopsBeforeItBegins) {
    QueueBackend backend;
    Plan plan = planOn(backend);
    const auto arena = backend.allocateArena(plan.arenaBytes());
    ASSERT_TRUE(arena);
    ASSERT_TRUE(plan.bind({(*arena)->data(), (*arena)->sizeBytes()}));
    const Status status = plan.run([] { return true; });
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, StatusCode::Cancelled);
}

TEST(PlanOnADevice, ProfilesEachStep) {
    QueueBackend backend;
    Plan plan = planOn(backend);
    const auto arena = backend.allocateArena(plan.arenaBytes());
    ASSERT_TRUE(arena);
    ASSERT_TRUE(plan.bind({(*arena)->data(), (*arena)->sizeBytes()}));
    const auto reports = plan.profile(2);
    ASSERT_TRUE(reports);
    ASSERT_EQ(reports->size(), 2u);
    EXPECT_EQ((*reports)[1].seconds, 1.0);
}

}  // namespace
}  // namespace reelbrush::kernels
