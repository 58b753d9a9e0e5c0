#include "kernels/plan/plan.h"
#include "kernels/reference/reference_backend.h"
#include "tests/kernels/cuda/cuda_conformance.h"
#include "tests/kernels/cuda/typed_weights.h"

#include <algorithm>

namespace reelbrush::kernels {
namespace {

class CudaWeightsTest : public CudaConformance {
  protected:
    /// In F32, where nothing but the conversion of the weights could differ.
    static void expectExact(const NodeCase& node, const WeightProvider& weights, const std::string& label) {
        ReferenceBackend reference;
        const auto expected = runNode(reference, node, weights);
        ASSERT_TRUE(expected) << expected.error().message;
        const auto backend = backendOf(DType::F32);
        const auto actual = runNode(*backend, node, weights);
        ASSERT_TRUE(actual) << label << ": " << actual.error().message;
        const Difference difference = compare(*actual, *expected);
        EXPECT_LE(difference.maxRelative, 1e-5) << label << ": " << difference.toString();
    }
};

TEST_F(CudaWeightsTest, EveryStoredTypeOfALinear) {
    for (const DType type : {DType::F64, DType::F32, DType::F16, DType::BF16, DType::F8E4M3, DType::F8E5M2, DType::I64,
                             DType::I32, DType::I16, DType::I8, DType::U8, DType::Bool}) {
        TypedWeights weights;
        weights.add("w0", {24, 37}, type, 1);
        weights.add("w1", {11, 37, 1, 1}, type, 2);
        weights.add("b0", {24}, type, 3);
        expectExact({Linear{.outFeatures = {24, 11}}, {randomTensor({2, 5, 37}, 4)}, {"w0", "w1", "b0", ""}}, weights,
                    nameOf(type));
    }
}

TEST_F(CudaWeightsTest, EveryStoredTypeOfAConvolution) {
    for (const DType type :
         {DType::F64, DType::F32, DType::F16, DType::BF16, DType::F8E4M3, DType::F8E5M2, DType::I8}) {
        TypedWeights weights;
        weights.add("w", {13, 5, 3, 3}, type, 1);
        weights.add("b", {13}, DType::F16, 2);
        expectExact({Conv2d{.outChannels = 13}, {randomTensor({1, 6, 7, 5}, 3)}, {"w", "b"}}, weights, nameOf(type));
    }
}

/// Larger than what is copied at once, rows cut in the middle.
TEST_F(CudaWeightsTest, LargeWeightsComeInPieces) {
    for (const DType type : {DType::F32, DType::I8}) {
        TypedWeights linear;
        linear.add("w", {4099, 2053}, type, 1);
        expectExact({Linear{.outFeatures = {4099}}, {randomTensor({1, 2053}, 2)}, {"w"}}, linear, nameOf(type));
        TypedWeights convolution;
        convolution.add("w", {1021, 1019, 3, 3}, type, 3);
        expectExact({Conv2d{.outChannels = 1021, .hasBias = false}, {randomTensor({1, 1, 2, 1019}, 4)}, {"w"}},
                    convolution, nameOf(type));
    }
}

TEST_F(CudaWeightsTest, WrongAndMissingWeightsAreToldApart) {
    const auto backend = backendOf(DType::F16);
    TypedWeights weights;
    weights.add("w", {8, 9}, DType::F32, 1);
    const NodeCase wrong{Linear{.outFeatures = {8}}, {randomTensor({1, 16}, 2)}, {"w"}};
    const auto misshapen = runNode(*backend, wrong, weights);
    ASSERT_FALSE(misshapen);
    EXPECT_EQ(misshapen.error().code, StatusCode::BadInput);
    EXPECT_NE(misshapen.error().message.find("[8,9]"), std::string::npos) << misshapen.error().message;
    const NodeCase absent{Linear{.outFeatures = {8}}, {randomTensor({1, 16}, 2)}, {"no such"}};
    const auto missing = runNode(*backend, absent, weights);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, StatusCode::BadInput);
}

/// A plan whose work may have been recorded computes with the new weights afterwards.
TEST_F(CudaWeightsTest, ReloadingReplacesThemInPlace) {
    MemoryWeights first, second;
    for (MemoryWeights* weights : {&first, &second}) {
        const std::uint64_t seed = weights == &first ? 1 : 10;
        weights->add("conv", randomTensor({12, 3, 3, 3}, seed));
        weights->add("conv.bias", randomTensor({12}, seed + 1));
        weights->add("linear", randomTensor({20, 12}, seed + 2));
    }
    const TestTensor x = randomTensor({1, 8, 8, 3}, 5);
    const auto compile = [&](Backend& backend, const WeightProvider& weights) {
        Graph graph;
        Value value = graph.input("x", x.shape);
        value = graph.add(Conv2d{.outChannels = 12}, {value}, {"conv", "conv.bias"}, "conv");
        value = graph.add(Linear{.outFeatures = {20}}, {value}, {"linear", ""}, "linear");
        graph.output("y", value);
        return Plan::compile(std::move(graph), weights, backend);
    };
    const auto outputOf = [&](Plan& plan) {
        std::ranges::copy(x.values, plan.input("x").begin());
        const Status ran = plan.run();
        EXPECT_TRUE(ran);
        const auto y = plan.output("y");
        return TestTensor{plan.outputShape("y"), {y.begin(), y.end()}};
    };
    ReferenceBackend reference;
    const auto backend = backendOf(DType::F32);
    auto expected = compile(reference, second), actual = compile(*backend, first);
    ASSERT_TRUE(expected) << expected.error().message;
    ASSERT_TRUE(actual) << actual.error().message;
    const auto expectedArena = reference.allocateArena(expected->arenaBytes());
    const auto actualArena = backend->allocateArena(actual->arenaBytes());
    ASSERT_TRUE(expectedArena && actualArena);
    ASSERT_TRUE(expected->bind({(*expectedArena)->data(), (*expectedArena)->sizeBytes()}));
    ASSERT_TRUE(actual->bind({(*actualArena)->data(), (*actualArena)->sizeBytes()}));

    const TestTensor target = outputOf(*expected);
    EXPECT_GT(compare(outputOf(*actual), target).maxRelative, 0.1);
    const auto reloaded = actual->reloadWeights(second, {"conv", "linear", "conv.bias"});
    ASSERT_TRUE(reloaded) << reloaded.error().message;
    EXPECT_EQ(*reloaded, 2u);
    const Difference difference = compare(outputOf(*actual), target);
    EXPECT_LE(difference.maxRelative, 1e-5) << difference.toString();
}

}  // namespace
}  // namespace reelbrush::kernels
