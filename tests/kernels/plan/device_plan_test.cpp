#include "kernels/plan/plan.h"
#include "kernels/reference/reference_backend.h"
#include "tests/kernels/support/memory_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace reelbrush::kernels {
namespace {

using Work = std::function<Status()>;

/// A queue that computes when it is told to, as a GPU's does.
class QueueDevice final : public Device {
  public:
    DType valueType() const override { return DType::F32; }
    Result<std::unique_ptr<DeviceMemory>> allocateShared(std::size_t bytes, const char*) override {
        ReferenceBackend host;
        return host.allocateArena(bytes);
    }
    Status load(const float* shared, std::int64_t count, DType type, std::byte* value) override {
        EXPECT_EQ(type, DType::F32);
        return queue([=] { return copied(shared, count, reinterpret_cast<float*>(value)); });
    }
    Status store(const std::byte* value, DType, std::int64_t count, float* shared) override {
        return queue([=] { return copied(reinterpret_cast<const float*>(value), count, shared); });
    }
    Status queue(Work work) {
        queued_.push_back(std::move(work));
        return {};
    }
    Status finish() override {
        for (const Work& work : std::exchange(queued_, {})) RB_TRY(work());
        return {};
    }
    Result<std::unique_ptr<Recording>> record(const Work& work) override {
        EXPECT_TRUE(queued_.empty());
        RB_TRY(work());
        ++recordings;
        return std::make_unique<Replay>(*this, std::exchange(queued_, {}));
    }
    Result<double> timed(const Work& work) override {
        RB_TRY(work());
        RB_TRY(finish());
        return 1.0;
    }

    int recordings = 0, replays = 0;

  private:
    struct Replay final : Recording {
        Replay(QueueDevice& owner, std::vector<Work> kept) : device(owner), works(std::move(kept)) {}
        Status replay() override {
            ++device.replays;
            device.queued_ = works;
            return {};
        }
        QueueDevice& device;
        std::vector<Work> works;
    };
    static Status copied(const float* from, std::int64_t count, float* to) {
        std::copy_n(from, count, to);
        return {};
    }

    std::vector<Work> queued_;
};

/// The reference, behind a queue.
class QueueBackend final : public Backend {
  public:
    Result<std::unique_ptr<Step>> prepare(const StepRequest& request) override {
        RB_ASSIGN(auto step, host_.prepare(request));
        return std::make_unique<Queued>(queue, std::move(step));
    }
    Device* device() override { return &queue; }

    QueueDevice queue;

  private:
    struct Queued final : Step {
        Queued(QueueDevice& owner, std::unique_ptr<Step> inner) : device(owner), step(std::move(inner)) {}
        void bind(const StepBuffers& buffers) override { step->bind(buffers); }
        Status run() override {
            return device.queue([this] { return step->run(); });
        }
        QueueDevice& device;
        std::unique_ptr<Step> step;
    };

    ReferenceBackend host_;
};

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
