#include "kernels/cpu/cpu_backend.h"

#include "kernels/cpu/peak_flops.h"
#include "kernels/cpu/processor.h"
#include "kernels/tensor/buffer.h"
#include "tests/kernels/cpu/layer_conformance.h"

#include <gtest/gtest.h>
#include <omp.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

namespace reelbrush::kernels {
namespace {

constexpr Conv2d kConv{.outChannels = 32};

/// A 3x3 convolution of [1,side,side,32], weights "w" stored as int8 or as floats.
struct ConvLayer {
    Node node{kConv, {}, {}, {"w", "b"}, "layer"};
    std::vector<Shape> inputs;
    Shape output;
    MemoryWeights weights;

    explicit ConvLayer(bool int8Weights, int side = 12) : inputs{{1, side, side, 32}}, output{1, side, side, 32} {
        const TestTensor weight = randomTensor({32, 32, 3, 3}, 1, -0.1f, 0.1f);
        if (int8Weights)
            weights.addInt8("w", weight);
        else
            weights.add("w", weight);
        weights.add("b", randomTensor({32}, 2));
    }
    StepRequest request() const { return {node, inputs, output, weights}; }
};

std::string algorithmOf(CpuBackend& backend, const ConvLayer& layer) {
    backend.enter();
    const auto step = backend.prepare(layer.request());
    return step ? (*step)->algorithm() : step.error().message;
}

TEST(CpuBackend, ThreadsDefaultToTheProcessorsOfThisProcess) {
    EXPECT_EQ(CpuBackend(CpuOptions{}).threads(), availableProcessors());
    EXPECT_EQ(CpuBackend({.threads = 3}).threads(), 3);
}

TEST(CpuBackend, EnterSetsUpTheCallingThread) {
    CpuBackend backend({.threads = 3});
    omp_set_num_threads(1);
    backend.enter();
    EXPECT_EQ(omp_get_max_threads(), 3);
}

TEST(CpuBackend, PrecisionDecidesWhatRunsAsInt8) {
    CpuBackend floats({.threads = 2, .precision = Precision::Float32}),
        int8({.threads = 2, .precision = Precision::Int8});
    const ConvLayer stored(true), plain(false);
    EXPECT_NE(algorithmOf(floats, stored), "int8");
    EXPECT_EQ(algorithmOf(int8, stored) == "int8", cpuHasFastInt8());
    EXPECT_EQ(algorithmOf(int8, plain) == "int8", cpuHasFastInt8()) << "a layer with a LoRA merged in";
    CpuBackend fastest({.threads = 2, .precision = Precision::Fastest});
    EXPECT_NE(algorithmOf(fastest, plain), "int8") << "weights that were not stored as int8 must not lose precision";
    ConvLayer first(true);
    first.node.op = Conv2d{.outChannels = 32, .mayQuantise = false};
    EXPECT_NE(algorithmOf(int8, first), "int8");
}

TEST(CpuBackend, EveryPrecisionConforms) {
    for (const Precision precision : {Precision::Float32, Precision::Int8, Precision::Fastest}) {
        CpuBackend backend({.threads = 2, .precision = precision});
        const ConvLayer layer(true);
        const NodeCase node{layer.node.op, {randomTensor(layer.inputs[0], 3)}, layer.node.weights};
        const auto outcome = runBoth(backend, node, layer.weights);
        ASSERT_TRUE(outcome.has_value());
        EXPECT_GE(outcome->difference.cosine, 0.9995) << outcome->difference.toString();
    }
}

TEST(CpuBackend, OnePixelConvolutionsConform) {
    for (const Precision precision : {Precision::Float32, Precision::Int8}) {
        CpuBackend backend({.threads = 2, .precision = precision});
        MemoryWeights weights;
        weights.addInt8("w", randomTensor({40, 24, 1, 1}, 1));
        weights.add("b", randomTensor({40}, 2));
        Conv2d op{.outChannels = 40, .kernelHeight = 1, .kernelWidth = 1};
        op.padTop = op.padLeft = op.padBottom = op.padRight = 0;
        op.hasResidual = true;
        const NodeCase node{op, {randomTensor({2, 5, 7, 24}, 3), randomTensor({2, 5, 7, 40}, 4)}, {"w", "b"}};
        const auto outcome = runBoth(backend, node, weights);
        ASSERT_TRUE(outcome.has_value());
        EXPECT_GE(outcome->difference.cosine, 0.9995) << outcome->difference.toString();
    }
}

TEST(CpuBackend, OtherOpsGoToTheSimdSteps) {
    CpuBackend backend({.threads = 2});
    const auto result = runNode(backend, {ActivationOp{Activation::Relu}, {TestTensor{{1, 2}, {-1.0f, 2.0f}}}, {}});
    ASSERT_TRUE(result.has_value()) << result.error().message;
    EXPECT_EQ(result->values, (std::vector<float>{0.0f, 2.0f}));
}

TEST(CpuBackend, WrongWeightsAreNamed) {
    CpuBackend backend({.threads = 2});
    ConvLayer layer(false);
    layer.weights = {};
    layer.weights.add("b", randomTensor({32}, 2));
    auto missing = backend.prepare(layer.request());
    ASSERT_FALSE(missing.has_value());
    EXPECT_EQ(missing.error().code, StatusCode::BadInput);
    EXPECT_NE(missing.error().message.find("'w'"), std::string::npos) << missing.error().message;

    layer.weights.add("w", randomTensor({32, 16, 3, 3}, 1));
    auto wrong = backend.prepare(layer.request());
    ASSERT_FALSE(wrong.has_value());
    EXPECT_EQ(wrong.error().code, StatusCode::BadInput);
    EXPECT_NE(wrong.error().message.find("[32,16,3,3]"), std::string::npos) << wrong.error().message;
    EXPECT_NE(wrong.error().message.find("[32,32,3,3]"), std::string::npos) << wrong.error().message;
}

TEST(CpuBackend, WeightsCanBeReloaded) {
    for (const Precision precision : {Precision::Float32, Precision::Int8}) {
        CpuBackend backend({.threads = 2, .precision = precision});
        backend.enter();
        const ConvLayer before(true);
        const auto step = backend.prepare(before.request());
        ASSERT_TRUE(step.has_value()) << step.error().message;
        MemoryWeights other;
        other.add("w", randomTensor({32, 32, 3, 3}, 9, -0.3f, 0.3f));
        other.add("b", randomTensor({32}, 10));

        const TestTensor input = randomTensor(before.inputs[0], 3);
        std::vector<float> output(static_cast<std::size_t>(before.output.elements()));
        Buffer scratch = std::move(*Buffer::allocate((*step)->scratchBytes(), nullptr, "test"));
        (*step)->bind({{input.values.data()}, output.data(), scratch.data()});
        ASSERT_TRUE((*step)->loadWeights(other).has_value());
        ASSERT_TRUE((*step)->run().has_value());
        ReferenceBackend reference;
        const auto expected = runNode(reference, {kConv, {input}, before.node.weights}, other);
        const Difference difference = compare({before.output, output}, *expected);
        EXPECT_GE(difference.cosine, 0.9995) << difference.toString();
    }
}

TEST(CpuBackend, PackedWeightsCountInTheBudget) {
    auto budget = std::make_shared<MemoryBudget>();
    CpuBackend backend({.threads = 2, .precision = Precision::Int8, .budget = budget});
    const ConvLayer layer(true);
    {
        const auto step = backend.prepare(layer.request());
        ASSERT_TRUE(step.has_value()) << step.error().message;
        EXPECT_GE(budget->heldBytes(), 32u * 32u * 9u);
        EXPECT_GE((*step)->weightBytes(), 32u * 32u * 9u);
        EXPECT_DOUBLE_EQ((*step)->operations(), 2.0 * 12 * 12 * 32 * 32 * 9);
    }
    EXPECT_EQ(budget->heldBytes(), 0u);

    CpuBackend poor({.threads = 2, .budget = std::make_shared<MemoryBudget>(1000)});
    const auto refused = poor.prepare(layer.request());
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, StatusCode::OutOfMemory);
}

/// Measured choices: written once, obeyed afterwards.
TEST(CpuBackend, RemembersTheFastestAlgorithmOnDisk) {
    std::string pattern = (std::filesystem::temp_directory_path() / "reelbrush-backend-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    const std::filesystem::path file = std::filesystem::path(pattern) / "algorithms.json";
    const ConvLayer layer(true, 64);  // small ones are not worth timing
    {
        CpuBackend backend({.threads = 1, .algorithmCacheFile = file});
        algorithmOf(backend, layer);
    }
    std::ifstream stream(file);
    auto document = nlohmann::json::parse(stream, nullptr, false);
    ASSERT_FALSE(document.is_discarded());
    ASSERT_EQ(document["machines"].size(), 1u);
    auto& shapes = document["machines"].begin().value();
    ASSERT_EQ(shapes.size(), 1u);
    EXPECT_NE(shapes.begin().key().find("64x64x32"), std::string::npos) << shapes.begin().key();

    shapes.begin().value() = "direct f32";
    std::ofstream(file) << document.dump();
    CpuBackend obedient({.threads = 1, .algorithmCacheFile = file});
    EXPECT_EQ(algorithmOf(obedient, layer), "direct f32");
    shapes.begin().value() = "something from the future";
    std::ofstream(file) << document.dump();
    CpuBackend puzzled({.threads = 1, .algorithmCacheFile = file});
    EXPECT_FALSE(algorithmOf(puzzled, layer).empty());
    std::filesystem::remove_all(pattern);
}

TEST(Processor, IsDescribed) {
    EXPECT_NE(processorName().find("family"), std::string::npos) << processorName();
    EXPECT_FALSE(processorInstructionSets().empty());
    EXPECT_GE(availableProcessors(), 1);
}

TEST(Processor, PeaksAreMeasured) {
    const auto peaks = measurePeakRates(2);
    ASSERT_TRUE(peaks.has_value()) << peaks.error().message;
    EXPECT_GT(peaks->float32, 0.0);
    EXPECT_EQ(peaks->int8 > 0.0, cpuHasFastInt8());
}

/// Runs with limits in the environment too: see CMakeLists.txt.
TEST(Processor, LimitsAreObeyed) {
    const char* limit = std::getenv("REELBRUSH_MAX_SIMD");
    if (limit == nullptr || std::string_view(limit) != "avx2") GTEST_SKIP() << "no limit is set";
    EXPECT_FALSE(cpuHasFastInt8());
    EXPECT_EQ(onednnInstructionSet(), "avx2");
}

}  // namespace
}  // namespace reelbrush::kernels
