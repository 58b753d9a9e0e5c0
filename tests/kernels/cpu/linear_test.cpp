#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/linear_float_cpu.h"
#include "kernels/cpu/linear_int8_cpu.h"
#include "tests/kernels/cpu/layer_conformance.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace reelbrush::kernels {
namespace {

struct LinearCase {
    Shape input;
    Linear op;
    bool hasBias = true;
    int threads = 2;
};
void PrintTo(const LinearCase& c, std::ostream* out) {
    *out << fmt::format("{} to {} in {} parts, bias {} residual {} activation {} threads {}", c.input.toString(),
                        c.op.totalOutFeatures(), c.op.outFeatures.size(), c.hasBias, c.op.hasResidual,
                        static_cast<int>(c.op.activation), c.threads);
}

std::vector<LinearCase> linearCases() {
    std::vector<LinearCase> cases{
        {{1, 384}, {.outFeatures = {256}}},
        {{1, 96}, {.outFeatures = {384}, .activation = Activation::Silu}},
        {{2, 3}, {.outFeatures = {1}}},
        {{1, 1}, {.outFeatures = {1}}},
        {{1, 197, 192}, {.outFeatures = {192, 192, 192}}},
        {{1, 64, 96}, {.outFeatures = {96, 96, 96}}, false},
        {{2, 16, 256}, {.outFeatures = {160, 96}}, false},
        {{1, 1000, 33}, {.outFeatures = {77}}},
        {{1, 31, 160}, {.outFeatures = {1280}}},
        {{1, 4, 8, 160}, {.outFeatures = {160}, .hasResidual = true}},
        {{3, 1031, 17}, {.outFeatures = {5, 7, 3}}, true, 1},
        {{3, 331, 64}, {.outFeatures = {40}}, true, 5},
    };
    for (const Activation activation :
         {Activation::Relu, Activation::Silu, Activation::Gelu, Activation::GeluTanh, Activation::QuickGelu})
        for (const bool residual : {false, true})
            cases.push_back({{1, 50, 64}, {.outFeatures = {70}, .hasResidual = residual, .activation = activation}});
    return cases;
}

struct Layer {
    NodeCase node;
    MemoryWeights weights;
    double largestRow = 0.0;
};

/// fill gives the values of a weight [outputs, inputs] and of a bias [outputs].
template <typename FillWeight, typename FillBias>
Layer makeLayer(const LinearCase& c, bool int8Weights, FillWeight fillWeight, FillBias fillBias) {
    Layer layer;
    layer.node.op = c.op;
    layer.node.inputs = {randomTensor(c.input, 1, -2.0f, 2.0f)};
    std::vector<std::string> biases;
    for (std::size_t part = 0; part < c.op.outFeatures.size(); ++part) {
        const std::string weight = fmt::format("weight{}", part), bias = fmt::format("bias{}", part);
        TestTensor values = fillWeight(Shape{c.op.outFeatures[part], c.input.channels()}, 10 + part);
        layer.largestRow = std::max(layer.largestRow, largestRowSum(values));
        // As 1x1 convolutions store theirs.
        if (part == 1) values.shape = {values.shape[0], values.shape[1], 1, 1};
        if (int8Weights)
            layer.weights.addInt8(weight, values);
        else
            layer.weights.add(weight, values);
        layer.node.weights.push_back(weight);
        layer.weights.add(bias, fillBias(Shape{c.op.outFeatures[part]}, 20 + part));
        // The last part of several has no bias.
        biases.push_back(c.hasBias && (part == 0 || part + 1 < c.op.outFeatures.size()) ? bias : "");
    }
    layer.node.weights.insert(layer.node.weights.end(), biases.begin(), biases.end());
    if (c.op.hasResidual) {
        Shape shape = c.input;
        shape[shape.rank() - 1] = c.op.totalOutFeatures();
        layer.node.inputs.push_back(randomTensor(shape, 4));
    }
    return layer;
}

Layer makeLayer(const LinearCase& c, bool int8Weights) {
    const float range = std::sqrt(3.0f / static_cast<float>(c.input.channels()));
    return makeLayer(
        c, int8Weights, [&](const Shape& s, std::uint64_t seed) { return randomTensor(s, seed, -range, range); },
        [](const Shape& s, std::uint64_t seed) { return randomTensor(s, seed); });
}

class LinearConformance : public testing::TestWithParam<LinearCase> {
  protected:
    AlgorithmBackend floats_{[](const StepRequest& r) {
        return makeFloatLinearStep(LinearProblem(r, GetParam().threads, nullptr), r.weights);
    }};
    AlgorithmBackend int8_{[](const StepRequest& r) {
        return makeInt8LinearStep(LinearProblem(r, GetParam().threads, nullptr), r.weights);
    }};
};
INSTANTIATE_TEST_SUITE_P(Shapes, LinearConformance, testing::ValuesIn(linearCases()));

TEST_P(LinearConformance, FloatMatchesTheReference) {
    const Layer layer = makeLayer(GetParam(), false);
    const auto outcome = runBoth(floats_, layer.node, layer.weights);
    ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
    EXPECT_LE(outcome->difference.maxRelative, 1e-5) << outcome->difference.toString();
}

TEST_P(LinearConformance, Int8IsCloseToTheReferenceWithTheSameWeights) {
    if (!cpuHasFastInt8()) GTEST_SKIP() << "this processor has no fast int8 products";
    const Layer layer = makeLayer(GetParam(), true);
    const auto outcome = runBoth(int8_, layer.node, layer.weights);
    ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
    EXPECT_GE(outcome->difference.cosine, 0.9995) << outcome->difference.toString();
    EXPECT_LE(outcome->difference.maxAbs, 1.13 * 0.505 * 2.0 / 127.0 * layer.largestRow + 1e-5);
}

/// Those whose results stay on the grid: other activations round.
std::vector<LinearCase> gridCases() {
    std::vector<LinearCase> cases = linearCases();
    std::erase_if(cases, [](const LinearCase& c) {
        return c.op.activation != Activation::None && c.op.activation != Activation::Relu;
    });
    return cases;
}

class LinearGridConformance : public LinearConformance {};
INSTANTIATE_TEST_SUITE_P(Shapes, LinearGridConformance, testing::ValuesIn(gridCases()));

TEST_P(LinearGridConformance, Int8IsExact) {
    if (!cpuHasFastInt8()) GTEST_SKIP() << "this processor has no fast int8 products";
    Layer layer = makeLayer(
        GetParam(), true,
        [](const Shape& s, std::uint64_t seed) {
            // Both ends in every row, or rows would get other scales.
            TestTensor weight = gridTensor(s, seed, -127, 127, 0.25f);
            for (std::int64_t row = 0; row < s[0]; ++row)
                weight.values[static_cast<std::size_t>(row * s[1])] = 127.0f * 0.25f;
            return weight;
        },
        [](const Shape& s, std::uint64_t seed) { return gridTensor(s, seed, -60, 60, 0.125f); });
    TestTensor& input = layer.node.inputs[0];
    input = gridTensor(input.shape, 7, -127, 127, 0.5f);
    for (std::int64_t row = 0; row < input.shape.rows(); ++row)
        input.values[static_cast<std::size_t>(row * input.shape.channels())] = -127.0f * 0.5f;
    if (GetParam().op.hasResidual) layer.node.inputs[1] = gridTensor(layer.node.inputs[1].shape, 8, -100, 100, 0.125f);
    const auto outcome = runBoth(int8_, layer.node, layer.weights);
    ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
    EXPECT_EQ(outcome->actual.values, outcome->expected.values) << outcome->difference.toString();
}

TEST(Int8Linear, RowsDoNotDependOnTheirNeighbours) {
    if (!cpuHasFastInt8()) GTEST_SKIP() << "this processor has no fast int8 products";
    CpuBackend backend({.threads = 2, .precision = Precision::Int8});
    Layer layer = makeLayer({{1, 90, 64}, {.outFeatures = {48}}}, true);
    const auto all = runNode(backend, layer.node, layer.weights);
    ASSERT_TRUE(all.has_value()) << all.error().message;
    NodeCase last = layer.node;
    last.inputs[0] = {{1, 1, 64}, {last.inputs[0].values.end() - 64, last.inputs[0].values.end()}};
    const auto one = runNode(backend, last, layer.weights);
    ASSERT_TRUE(one.has_value()) << one.error().message;
    EXPECT_TRUE(std::equal(one->values.begin(), one->values.end(), all->values.end() - 48));
}

TEST(Int8Linear, SilentRowsGiveTheBias) {
    if (!cpuHasFastInt8()) GTEST_SKIP() << "this processor has no fast int8 products";
    CpuBackend backend({.threads = 2, .precision = Precision::Int8});
    Layer layer = makeLayer({{1, 40, 32}, {.outFeatures = {24}}}, true);
    std::fill_n(layer.node.inputs[0].values.begin(), 32 * 5, 0.0f);
    const auto outcome = runBoth(backend, layer.node, layer.weights);
    ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
    for (std::size_t i = 0; i < 24 * 5; ++i) EXPECT_EQ(outcome->actual.values[i], outcome->expected.values[i]);
}

}  // namespace
}  // namespace reelbrush::kernels
