#include "kernels/cuda/weight_residency.h"
#include "kernels/plan/plan.h"
#include "kernels/plan/weight_shapes.h"
#include "kernels/reference/reference_backend.h"
#include "tests/kernels/cuda/cuda_conformance.h"
#include "tests/kernels/support/convolutions.h"
#include "tests/support/test_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

namespace reelbrush::kernels {
namespace {

/// Values that int8 with one scale for every few of them holds exactly: among few the largest is 127 steps.
TestTensor int8Tensor(const Shape& shape, std::uint64_t seed) {
    TestTensor tensor = randomTensor(shape, seed);
    tensor.values.front() = 1.0f;
    for (float& value : tensor.values) value = std::clamp(std::round(value * 320.0f), -127.0f, 127.0f) * 0x1p-11f;
    return tensor;
}

struct NamedPlacement {
    const char* name;
    WeightPlacement placement;
};

/// Everything that is not small is kept this way, and nothing is small.
std::vector<NamedPlacement> placements(std::size_t ringBytes) {
    const auto of = [&](bool int8, double share) {
        return WeightPlacement{.int8 = int8, .streamedShare = share, .ringBytes = ringBytes, .smallBytes = 0};
    };
    return {{"resident", of(false, 0.0)},     {"int8", of(true, 0.0)},           {"streamed", of(false, 1.0)},
            {"streamed int8", of(true, 1.0)}, {"half streamed", of(false, 0.5)}, {"half streamed int8", of(true, 0.5)}};
}

class WeightPlacementCuda : public CudaConformance {
  protected:
    void expectExact(const NodeCase& node, const WeightProvider& weights) {
        ReferenceBackend reference;
        const auto expected = runNode(reference, node, weights);
        ASSERT_TRUE(expected) << expected.error().message;
        for (const auto& [name, placement] : placements(std::size_t{4} << 20)) {
            const auto backend = backendOf(DType::F32);
            backend->keepWeights(placement);
            const auto actual = runNode(*backend, node, weights);
            ASSERT_TRUE(actual) << name << ": " << actual.error().message;
            const Difference difference = compare(*actual, *expected);
            EXPECT_LE(difference.maxRelative, 1e-5) << name << ": " << difference.toString();
        }
    }
};

TEST_F(WeightPlacementCuda, LinearsOfEvenAndOddSizes) {
    for (const auto& [rows, in, out] : {std::array{1, 1, 1}, {5, 64, 64}, {31, 160, 96}, {7, 37, 11}, {3, 320, 1000}}) {
        MemoryWeights weights;
        weights.add("w0", int8Tensor({out, in}, 1));
        weights.add("w1", int8Tensor({out + 2, in}, 2));
        weights.add("b1", randomTensor({out + 2}, 3));
        expectExact({Linear{.outFeatures = {out, out + 2}}, {randomTensor({2, rows, in}, 4)}, {"w0", "w1", "", "b1"}},
                    weights);
    }
}

TEST_F(WeightPlacementCuda, ConvolutionsOfEvenAndOddSizes) {
    for (const auto& [in, out] : {std::pair{3, 5}, {4, 64}, {64, 3}, {64, 64}, {96, 40}}) {
        MemoryWeights weights;
        weights.add("w", int8Tensor({out, in, 3, 3}, 1));
        weights.add("b", randomTensor({out}, 2));
        expectExact({conv(out), {randomTensor({2, 9, 7, in}, 3)}, {"w", "b"}}, weights);
        weights.add("p", int8Tensor({out, in, 1, 1}, 4));
        expectExact({padded(conv(out, 1), 0, 0, 0, 0), {randomTensor({1, 6, 5, in}, 5)}, {"p", "b"}}, weights);
    }
}

/// Weights as networks have them, of which int8 keeps about seven bits.
TEST_F(WeightPlacementCuda, RoundingToInt8KeepsTheDirection) {
    MemoryWeights weights;
    weights.add("w", randomTensor({640, 640}, 1, -0.07f, 0.07f));
    const NodeCase node{Linear{.outFeatures = {640}}, {randomTensor({1, 77, 640}, 2)}, {"w"}};
    ReferenceBackend reference;
    const auto expected = runNode(reference, node, weights);
    ASSERT_TRUE(expected);
    for (const DType type : {DType::F16, DType::BF16}) {
        const auto backend = backendOf(type);
        backend->keepWeights({.int8 = true});
        const auto actual = runNode(*backend, node, weights);
        ASSERT_TRUE(actual) << actual.error().message;
        const Difference difference = compare(*actual, *expected);
        report(std::string("int8 weights ") + nameOf(type), difference);
        EXPECT_GE(difference.cosine, 0.9999) << difference.toString();
    }
}

constexpr int kLayers = 14;

/// Layers of very different sizes, linears and convolutions.
Graph deepGraph() {
    Graph graph;
    Value value = graph.input("x", {1, 8, 8, 64});
    for (int layer = 0; layer < kLayers; ++layer) {
        const int out = layer % 4 == 1 ? 512 : layer % 4 == 3 ? 1024 : 128;
        const std::string name = fmt::format("layer{}", layer);
        if (layer % 3 == 0)
            value = graph.add(conv(out), {value}, {name, ""}, name);
        else
            value = graph.add(Linear{.outFeatures = {out}}, {value}, {name, ""}, name);
    }
    graph.output("y", graph.add(Linear{.outFeatures = {8}}, {value}, {"last", ""}, "last"));
    return graph;
}

/// Each layer keeps the size of what it is given.
MemoryWeights deepWeights(const Graph& graph, std::uint64_t seed) {
    MemoryWeights weights;
    for (const NamedWeight& weight : weightsOf(graph)) {
        TestTensor values = int8Tensor(weight.need.shape, seed++);
        const auto inputs = weight.need.shape.elements() / weight.need.shape[0];
        const float scale = std::exp2(std::round(std::log2(30.0f / std::sqrt(static_cast<float>(inputs)))));
        for (float& value : values.values) value *= scale;
        weights.add(weight.name, values);
    }
    return weights;
}

struct DeepPlan {
    std::unique_ptr<CudaBackend> backend;
    std::optional<Plan> plan;
    std::unique_ptr<DeviceMemory> arena;

    DeepPlan(const WeightPlacement& placement, const WeightProvider& weights, const std::filesystem::path& algorithms) {
        CudaOptions options;
        options.valueType = DType::F32;
        options.algorithmCacheFile = algorithms;
        auto opened = CudaBackend::create(options);
        if (!opened) throw std::runtime_error(opened.error().message);
        backend = *std::move(opened);
        backend->keepWeights(placement);
        auto compiled = Plan::compile(deepGraph(), weights, *backend);
        if (!compiled) throw std::runtime_error(compiled.error().message);
        plan = *std::move(compiled);
        arena = *backend->allocateArena(plan->arenaBytes());
        if (!plan->bind({arena->data(), arena->sizeBytes()})) throw std::runtime_error("bind");
    }
    TestTensor outputOf(std::uint64_t seed) {
        std::ranges::copy(randomTensor({1, 8, 8, 64}, seed).values, plan->input("x").begin());
        const Status ran = plan->run();
        EXPECT_TRUE(ran) << ran.error().message;
        const auto y = plan->output("y");
        return {plan->outputShape("y"), {y.begin(), y.end()}};
    }
};

/// The largest layer takes 4.5 MiB in f32: a ring of one is used again and again, a large one holds all at once.
TEST_F(WeightPlacementCuda, PlansRunEagerlyRecordedAndReplayed) {
    const testing::ScratchFolder folder;
    const MemoryWeights weights = deepWeights(deepGraph(), 1), others = deepWeights(deepGraph(), 100);
    DeepPlan resident({.smallBytes = 0}, weights, folder.path() / "algorithms.json");
    std::set<std::string, std::less<>> names;
    for (const NamedWeight& weight : weightsOf(deepGraph())) names.insert(weight.name);
    std::vector<TestTensor> expected;
    constexpr std::uint64_t kRuns = 6;
    for (std::uint64_t run = 0; run < kRuns; ++run) expected.push_back(resident.outputOf(run));
    ASSERT_TRUE(resident.plan->reloadWeights(others, names));
    for (std::uint64_t run = 0; run < kRuns; ++run) expected.push_back(resident.outputOf(run));
    EXPECT_GT(compare(expected[kRuns], expected[0]).maxRelative, 0.1);

    for (const std::size_t ringBytes : {std::size_t{9} << 19, std::size_t{12} << 20, std::size_t{128} << 20})
        for (const auto& [name, placement] : placements(ringBytes)) {
            DeepPlan plan(placement, weights, folder.path() / "algorithms.json");
            for (std::uint64_t run = 0; run < 2 * kRuns; ++run) {
                if (run == kRuns) {
                    ASSERT_TRUE(plan.plan->reloadWeights(others, names));
                }
                const Difference difference = compare(plan.outputOf(run % kRuns), expected[run]);
                ASSERT_LE(difference.maxRelative, 1e-5)
                    << name << ", ring " << ringBytes << ", run " << run << ": " << difference.toString();
            }
            ASSERT_TRUE(plan.plan->profile(2));
            EXPECT_LE(compare(plan.outputOf(0), expected[kRuns]).maxRelative, 1e-5) << name << " after profiling";
        }
}

TEST_F(WeightPlacementCuda, BytesAreCountedWhereTheyAre) {
    const MemoryWeights weights = deepWeights(deepGraph(), 1);
    std::map<std::string, std::pair<std::size_t, std::size_t>> bytes;
    for (const auto& [name, placement] : placements(std::size_t{8} << 20)) {
        const DeepPlan plan(placement, weights, {});
        bytes[name] = {plan.plan->weightBytes(), plan.plan->hostWeightBytes()};
    }
    const std::size_t all = bytes["resident"].first;
    EXPECT_EQ(bytes["resident"].second, 0u);
    EXPECT_NEAR(static_cast<double>(bytes["int8"].first), 0.26 * static_cast<double>(all),
                0.01 * static_cast<double>(all));
    EXPECT_EQ(bytes["streamed"], std::pair(std::size_t{0}, all));
    EXPECT_EQ(bytes["streamed int8"], std::pair(std::size_t{0}, bytes["int8"].first));
    EXPECT_EQ(bytes["half streamed"].first + bytes["half streamed"].second, all);
    EXPECT_NEAR(static_cast<double>(bytes["half streamed"].second), 0.5 * static_cast<double>(all),
                0.15 * static_cast<double>(all));
}

/// Two plans of one backend pass their weights through one ring, one after the other.
TEST_F(WeightPlacementCuda, PlansShareTheRing) {
    const testing::ScratchFolder folder;
    const MemoryWeights weights = deepWeights(deepGraph(), 1);
    const WeightPlacement streamed{.streamedShare = 1.0, .ringBytes = std::size_t{10} << 20, .smallBytes = 0};
    DeepPlan first({.smallBytes = 0}, weights, folder.path() / "algorithms.json");
    DeepPlan second(streamed, weights, folder.path() / "algorithms.json");
    auto third = Plan::compile(deepGraph(), weights, *second.backend);
    ASSERT_TRUE(third) << third.error().message;
    const auto arena = second.backend->allocateArena(third->arenaBytes());
    ASSERT_TRUE(arena && third->bind({(*arena)->data(), (*arena)->sizeBytes()}));
    for (std::uint64_t run = 0; run < 6; ++run) {
        const TestTensor expected = first.outputOf(run);
        EXPECT_LE(compare(second.outputOf(run), expected).maxRelative, 1e-5);
        std::ranges::copy(randomTensor({1, 8, 8, 64}, run).values, third->input("x").begin());
        ASSERT_TRUE(third->run());
        const auto y = third->output("y");
        EXPECT_LE(compare({third->outputShape("y"), {y.begin(), y.end()}}, expected).maxRelative, 1e-5);
    }
}

TEST(WeightResidency, StreamsTheShareThatIsAskedFor) {
    WeightResidency residency(nullptr, nullptr);
    for (const double share : {0.0, 0.1, 0.5, 0.9, 1.0}) {
        residency.keep({.streamedShare = share, .ringBytes = 1000});
        std::size_t all = 0, streamed = 0;
        for (std::size_t i = 0; i < 300; ++i) {
            const std::size_t bytes = 10 + 37 * i % 500;
            all += bytes;
            if (residency.nextIsStreamed(bytes)) streamed += bytes;
        }
        EXPECT_NEAR(static_cast<double>(streamed), share * static_cast<double>(all), 500.0) << share;
    }
    residency.keep({.streamedShare = 1.0, .ringBytes = 1000});
    EXPECT_FALSE(residency.nextIsStreamed(1001)) << "it does not fit into the ring";
}

}  // namespace
}  // namespace reelbrush::kernels
