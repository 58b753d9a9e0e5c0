#include "kernels/cpu/conv2d_float_cpu.h"
#include "kernels/cpu/conv2d_int8_cpu.h"
#include "kernels/cpu/conv2d_winograd_cpu.h"
#include "kernels/cpu/cpu_backend.h"
#include "tests/kernels/cpu/layer_conformance.h"
#include "tests/kernels/support/convolutions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace reelbrush::kernels {
namespace {

struct ConvCase {
    Shape input;
    Conv2d op;

    std::string toString() const {
        return fmt::format("{} to {} kernel {}x{} stride {} pad {}{}{}{} bias {} residual {} activation {}",
                           input.toString(), op.outChannels, op.kernelHeight, op.kernelWidth, op.stride, op.padTop,
                           op.padLeft, op.padBottom, op.padRight, op.hasBias, op.hasResidual,
                           static_cast<int>(op.activation));
    }
};
void PrintTo(const ConvCase& c, std::ostream* out) {
    *out << c.toString();
}

std::vector<ConvCase> convCases() {
    std::vector<ConvCase> cases{
        {{1, 1, 1, 96}, conv(96)},
        {{1, 1, 7, 3}, conv(5)},
        {{1, 9, 7, 3}, conv(64)},
        {{1, 9, 7, 12}, conv(64)},
        {{1, 13, 11, 64}, conv(12)},
        {{1, 8, 8, 64}, conv(3)},
        {{1, 17, 15, 16}, conv(32)},
        {{1, 8, 8, 32}, conv(96)},
        {{1, 16, 16, 96}, conv(96)},
        {{1, 5, 6, 416}, conv(160)},
        {{1, 4, 4, 512}, conv(256)},
        {{1, 33, 31, 5}, conv(7)},
        {{2, 8, 12, 96}, conv(160)},
        {{1, 16, 16, 64}, conv(64, 3, 2)},
        {{1, 15, 17, 96}, conv(96, 3, 2)},
        {{1, 16, 12, 32}, padded(conv(32, 3, 2), 0, 0, 1, 1)},
        {{2, 9, 9, 16}, padded(conv(24), 2, 0, 1, 3)},
        {{1, 64, 48, 3}, padded(conv(192, 16, 16), 0, 0, 0, 0)},
        {{1, 10, 10, 8}, conv(16, 5)},
        {{1, 12, 12, 32}, conv(48, 1, 2)},
        {{1, 7, 7, 24}, conv(40, 1)},
        {{1, 8, 8, 16}, with(conv(16), false, Activation::None, false)},
    };
    for (const bool residual : {false, true})
        for (const Activation activation : {Activation::None, Activation::Relu, Activation::Silu, Activation::Gelu,
                                            Activation::GeluTanh, Activation::QuickGelu})
            for (const std::int64_t batch : {1, 2})
                cases.push_back({{batch, 7, 9, 32}, with(conv(48), residual, activation, batch == 1)});
    return cases;
}

/// Those of the cases that an algorithm or a claim is for.
std::vector<ConvCase> convCasesWhere(bool (*fits)(const Conv2d&)) {
    std::vector<ConvCase> cases = convCases();
    std::erase_if(cases, [fits](const ConvCase& c) { return !fits(c.op); });
    return cases;
}

/// Other activations round.
bool staysOnTheGrid(const Conv2d& op) {
    return op.activation == Activation::None || op.activation == Activation::Relu;
}

/// A case with weights of the size that networks have: outputs near 1 for inputs near 1.
struct Layer {
    NodeCase node;
    MemoryWeights weights;
    TestTensor weight;
};

Layer makeLayer(const ConvCase& c, bool int8Weights, float lowestInput = -2.0f) {
    Layer layer;
    const std::int64_t in = c.input.channels();
    const float range = std::sqrt(3.0f / static_cast<float>(in * c.op.kernelHeight * c.op.kernelWidth));
    layer.weight = randomTensor({c.op.outChannels, in, c.op.kernelHeight, c.op.kernelWidth}, 2, -range, range);
    if (int8Weights)
        layer.weights.addInt8("weight", layer.weight);
    else
        layer.weights.add("weight", layer.weight);
    layer.weights.add("bias", randomTensor({c.op.outChannels}, 3));
    layer.node = {c.op, {randomTensor(c.input, 1, lowestInput, 2.0f)}, {"weight"}};
    if (c.op.hasBias) layer.node.weights.push_back("bias");
    if (c.op.hasResidual) {
        const auto shape = outputShape(Conv2d{with(c.op, false, Activation::None)}, std::span(&c.input, 1));
        layer.node.inputs.push_back(randomTensor(*shape, 4));
    }
    return layer;
}

class Conv2dConformance : public testing::TestWithParam<ConvCase> {};
INSTANTIATE_TEST_SUITE_P(Shapes, Conv2dConformance, testing::ValuesIn(convCases()));

TEST_P(Conv2dConformance, DirectMatchesTheReference) {
    AlgorithmBackend backend(
        [](const StepRequest& r) { return makeDirectConv2dStep(Conv2dProblem(r, 2, nullptr), r.weights); });
    const Layer layer = makeLayer(GetParam(), false);
    const auto outcome = runBoth(backend, layer.node, layer.weights);
    ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
    EXPECT_LE(outcome->difference.maxRelative, 1e-5) << outcome->difference.toString();
}

class WinogradConformance : public testing::TestWithParam<ConvCase> {};
INSTANTIATE_TEST_SUITE_P(Shapes, WinogradConformance, testing::ValuesIn(convCasesWhere(winogradFits)));

TEST_P(WinogradConformance, MatchesTheReference) {
    AlgorithmBackend backend(
        [](const StepRequest& r) { return makeWinogradConv2dStep(Conv2dProblem(r, 2, nullptr), r.weights); });
    const Layer layer = makeLayer(GetParam(), false);
    const auto outcome = runBoth(backend, layer.node, layer.weights);
    if (!outcome) GTEST_SKIP() << outcome.error().message;
    EXPECT_LE(outcome->difference.maxRelative, 1e-5) << outcome->difference.toString();
}

/// Images of several bands, which the scalar reference would take too long for.
std::vector<ConvCase> bandCases() {
    return {
        {{1, 40, 2048, 32}, conv(32)},
        {{1, 37, 2048, 32}, with(conv(32), true, Activation::Relu)},
        {{2, 24, 1024, 48}, with(conv(64), true, Activation::None)},
        {{1, 37, 1500, 32}, padded(conv(32), 0, 0, 0, 0)},
        {{1, 41, 1536, 64}, padded(conv(32), 0, 1, 1, 1)},
        {{1, 39, 1536, 32}, with(padded(conv(64), 1, 1, 0, 1), false, Activation::None, false)},
    };
}

class WinogradBandsConformance : public testing::TestWithParam<ConvCase> {};
INSTANTIATE_TEST_SUITE_P(Shapes, WinogradBandsConformance, testing::ValuesIn(bandCases()));

TEST_P(WinogradBandsConformance, MatchTheDirectConvolution) {
    AlgorithmBackend winograd(
        [](const StepRequest& r) { return makeWinogradConv2dStep(Conv2dProblem(r, 2, nullptr), r.weights); });
    AlgorithmBackend direct(
        [](const StepRequest& r) { return makeDirectConv2dStep(Conv2dProblem(r, 2, nullptr), r.weights); });
    const Layer layer = makeLayer(GetParam(), false);
    const auto actual = runNode(winograd, layer.node, layer.weights);
    if (!actual && actual.error().code == StatusCode::Unsupported) GTEST_SKIP() << actual.error().message;
    ASSERT_TRUE(actual.has_value()) << actual.error().message;
    const auto expected = runNode(direct, layer.node, layer.weights);
    ASSERT_TRUE(expected.has_value()) << expected.error().message;
    const Difference difference = compare(*actual, *expected);
    EXPECT_LE(difference.maxRelative, 1e-5) << difference.toString();
}

TEST_P(Conv2dConformance, Int8IsCloseToTheReferenceWithTheSameWeights) {
    if (!cpuHasFastInt8()) GTEST_SKIP() << "this processor has no fast int8 products";
    AlgorithmBackend backend(
        [](const StepRequest& r) { return makeInt8Conv2dStep(Conv2dProblem(r, 2, nullptr), r.weights); });
    for (const float lowest : {-2.0f, 0.0f}) {
        const Layer layer = makeLayer(GetParam(), true, lowest);
        const auto outcome = runBoth(backend, layer.node, layer.weights);
        ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
        EXPECT_GE(outcome->difference.cosine, 0.9995) << outcome->difference.toString();
        // Half a step of rounding in every input; no activation is steeper than 1.13.
        const double step = (2.0 - lowest) / 255.0;
        EXPECT_LE(outcome->difference.maxAbs, 1.13 * 0.505 * step * largestRowSum(layer.weight) + 1e-5);
    }
}

/// Inputs that rounding leaves alone: whole multiples of 1/2 that span exactly 255 steps, in every sample.
TestTensor inputOnGrid(const Shape& shape, int lowest) {
    TestTensor input = gridTensor(shape, 7, lowest, lowest + 255, 0.5f);
    const std::size_t sample = input.values.size() / static_cast<std::size_t>(shape[0]);
    for (std::size_t end = sample; end <= input.values.size(); end += sample) {
        input.values[end - sample] = static_cast<float>(lowest + 255) * 0.5f;
        input.values[end - 1] = static_cast<float>(lowest) * 0.5f;
    }
    return input;
}

class Int8GridConformance : public testing::TestWithParam<ConvCase> {};
INSTANTIATE_TEST_SUITE_P(Shapes, Int8GridConformance, testing::ValuesIn(convCasesWhere(staysOnTheGrid)));

TEST_P(Int8GridConformance, IsExact) {
    if (!cpuHasFastInt8()) GTEST_SKIP() << "this processor has no fast int8 products";
    const Conv2d& op = GetParam().op;
    AlgorithmBackend backend(
        [](const StepRequest& r) { return makeInt8Conv2dStep(Conv2dProblem(r, 2, nullptr), r.weights); });
    // Signed, never negative, never positive, and what lies behind a SiLU.
    for (const int lowest : {-127, 0, -255, -13}) {
        Layer layer = makeLayer(GetParam(), true);
        TestTensor weight = gridTensor(layer.weight.shape, 5, -127, 127, 0.25f);
        const std::size_t row = weight.values.size() / static_cast<std::size_t>(op.outChannels);
        for (std::size_t i = 0; i < weight.values.size(); i += row) weight.values[i] = 127.0f * 0.25f;
        MemoryWeights weights;
        weights.addInt8("weight", weight);
        weights.add("bias", gridTensor({op.outChannels}, 6, -60, 60, 0.125f));
        layer.node.inputs[0] = inputOnGrid(GetParam().input, lowest);
        if (op.hasResidual) layer.node.inputs[1] = gridTensor(layer.node.inputs[1].shape, 8, -100, 100, 0.125f);
        const auto outcome = runBoth(backend, layer.node, weights);
        ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
        // Sums beyond 2^24 steps no longer fit a float; the others are the exact integers.
        if (largestRowSum(weight) / 0.25 * 255.0 < 0x1p24)
            EXPECT_EQ(outcome->actual.values, outcome->expected.values) << outcome->difference.toString();
        else
            EXPECT_LE(outcome->difference.maxRelative, 1e-7) << outcome->difference.toString();
    }
}

TEST(Int8Conv2d, SamplesDoNotDependOnTheirBatch) {
    if (!cpuHasFastInt8()) GTEST_SKIP() << "this processor has no fast int8 products";
    CpuBackend backend({.threads = 2, .precision = Precision::Int8});
    Layer layer = makeLayer({{2, 6, 6, 32}, with(conv(32), true, Activation::Silu)}, true);
    const std::size_t inSample = layer.node.inputs[0].values.size() / 2;
    for (std::size_t i = inSample; i < 2 * inSample; ++i) layer.node.inputs[0].values[i] *= 50.0f;
    const auto both = runNode(backend, layer.node, layer.weights);
    ASSERT_TRUE(both.has_value()) << both.error().message;
    NodeCase single = layer.node;
    for (TestTensor& input : single.inputs) {
        input.shape[0] = 1;
        input.values.erase(input.values.begin(),
                           input.values.begin() + static_cast<std::ptrdiff_t>(input.values.size() / 2));
    }
    const auto second = runNode(backend, single, layer.weights);
    ASSERT_TRUE(second.has_value()) << second.error().message;
    EXPECT_TRUE(std::equal(second->values.begin(), second->values.end(),
                           both->values.begin() + static_cast<std::ptrdiff_t>(second->values.size())));
}

TEST(Int8Conv2d, SilentInputsGiveTheBias) {
    if (!cpuHasFastInt8()) GTEST_SKIP() << "this processor has no fast int8 products";
    CpuBackend backend({.threads = 2, .precision = Precision::Int8});
    Layer layer = makeLayer({{1, 6, 6, 32}, conv(32)}, true);
    std::ranges::fill(layer.node.inputs[0].values, 0.0f);
    const auto outcome = runBoth(backend, layer.node, layer.weights);
    ASSERT_TRUE(outcome.has_value());
    EXPECT_LE(outcome->difference.maxRelative, 1e-6);
}

TEST(Int8Conv2d, RowsOfZerosStayZero) {
    if (!cpuHasFastInt8()) GTEST_SKIP() << "this processor has no fast int8 products";
    CpuBackend backend({.threads = 2, .precision = Precision::Int8});
    Layer layer = makeLayer({{1, 6, 6, 16}, conv(24)}, true);
    std::fill_n(layer.weight.values.begin(), 3 * 16 * 9, 0.0f);
    for (const bool isStoredInt8 : {true, false}) {
        MemoryWeights weights;
        if (isStoredInt8)
            weights.addInt8("weight", layer.weight);
        else
            weights.add("weight", layer.weight);
        weights.add("bias", TestTensor{{24}, std::vector<float>(24, 0.5f)});
        const auto result = runNode(backend, layer.node, weights);
        ASSERT_TRUE(result.has_value()) << result.error().message;
        for (std::size_t i = 0; i < 3; ++i) EXPECT_FLOAT_EQ(result->values[i], 0.5f);
    }
}

}  // namespace
}  // namespace reelbrush::kernels
