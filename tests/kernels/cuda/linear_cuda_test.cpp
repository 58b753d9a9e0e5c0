#include "tests/kernels/cuda/cuda_conformance.h"
#include "tests/support/test_data.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

namespace reelbrush::kernels {
namespace {

struct Layer {
    NodeCase node;
    MemoryWeights weights;
};

/// Weights of the size that networks have; the last of several parts has no bias.
Layer makeLayer(const Shape& input, const Linear& op, bool hasBias = true, bool int8Weights = false) {
    Layer layer;
    layer.node.op = op;
    layer.node.inputs = {randomTensor(input, 1, -2.0f, 2.0f)};
    const float range = std::sqrt(3.0f / static_cast<float>(input.channels()));
    std::vector<std::string> biases;
    for (std::size_t part = 0; part < op.outFeatures.size(); ++part) {
        const std::string weight = fmt::format("weight{}", part), bias = fmt::format("bias{}", part);
        const TestTensor values = randomTensor({op.outFeatures[part], input.channels()}, 10 + part, -range, range);
        if (int8Weights)
            layer.weights.addInt8(weight, values);
        else
            layer.weights.add(weight, values);
        layer.weights.add(bias, randomTensor({op.outFeatures[part]}, 20 + part));
        layer.node.weights.push_back(weight);
        biases.push_back(hasBias && (part == 0 || part + 1 < op.outFeatures.size()) ? bias : "");
    }
    layer.node.weights.insert(layer.node.weights.end(), biases.begin(), biases.end());
    if (op.hasResidual) {
        Shape shape = input;
        shape[shape.rank() - 1] = op.totalOutFeatures();
        layer.node.inputs.push_back(randomTensor(shape, 4));
    }
    return layer;
}

class LinearCuda : public CudaConformance {
  protected:
    void expectConforms(const Layer& layer) { CudaConformance::expectConforms(layer.node, layer.weights); }
};

TEST_F(LinearCuda, OddSizes) {
    expectConforms(makeLayer({1, 1}, {.outFeatures = {1}}));
    expectConforms(makeLayer({2, 3}, {.outFeatures = {1}}));
    expectConforms(makeLayer({1, 1000, 33}, {.outFeatures = {77}}));
    expectConforms(makeLayer({3, 331, 17}, {.outFeatures = {5, 7, 3}}));
    expectConforms(makeLayer({1, 77, 20}, {.outFeatures = {30}, .hasResidual = true, .activation = Activation::Silu}));
}

TEST_F(LinearCuda, PartsLieSideBySide) {
    expectConforms(makeLayer({1, 197, 192}, {.outFeatures = {192, 192, 192}}));
    expectConforms(makeLayer({1, 64, 96}, {.outFeatures = {96, 96, 96}}, false));
    expectConforms(makeLayer({2, 16, 256}, {.outFeatures = {160, 96}}, false));
}

TEST_F(LinearCuda, EveryActivationWithAndWithoutResidualAndBias) {
    for (const Activation activation : {Activation::None, Activation::Relu, Activation::Silu, Activation::Gelu,
                                        Activation::GeluTanh, Activation::QuickGelu})
        for (const bool residual : {false, true})
            for (const bool bias : {false, true})
                expectConforms(makeLayer(
                    {1, 50, 64}, {.outFeatures = {72}, .hasResidual = residual, .activation = activation}, bias));
}

/// Timestep embeddings, cross-attention, feed-forward and projections of SD 1.5, SDXL and the starter model.
TEST_F(LinearCuda, ShapesOfModels) {
    expectConforms(makeLayer({2, 320}, {.outFeatures = {1280}, .activation = Activation::Silu}));
    expectConforms(makeLayer({2, 1280}, {.outFeatures = {640}}));
    expectConforms(makeLayer({2, 77, 768}, {.outFeatures = {320, 320}}, false));
    expectConforms(makeLayer({2, 64, 320}, {.outFeatures = {2560}}));
    expectConforms(makeLayer({2, 64, 1280}, {.outFeatures = {320}, .hasResidual = true}));
    expectConforms(makeLayer({1, 8, 8, 96}, {.outFeatures = {288}}));
}

TEST_F(LinearCuda, Int8Weights) {
    expectConforms(makeLayer({1, 31, 160}, {.outFeatures = {96, 32}}, true, true));
}

TEST_F(LinearCuda, ConvolutionsOfOnePixel) {
    MemoryWeights weights;
    weights.add("w", randomTensor({40, 24, 1, 1}, 1, -0.3f, 0.3f));
    weights.add("b", randomTensor({40}, 2));
    Conv2d op{.outChannels = 40,
              .kernelHeight = 1,
              .kernelWidth = 1,
              .padTop = 0,
              .padLeft = 0,
              .padBottom = 0,
              .padRight = 0,
              .hasResidual = true};
    CudaConformance::expectConforms({op, {randomTensor({2, 7, 5, 24}, 3), randomTensor({2, 7, 5, 40}, 4)}, {"w", "b"}},
                                    weights);
}

/// The second backend finds what the first measured, and computes the same bits.
TEST_F(LinearCuda, MeasuredChoicesAreKept) {
    const testing::ScratchFolder folder;
    CudaOptions options;
    options.algorithmCacheFile = folder.path() / "algorithms.json";
    const Layer layer = makeLayer({1, 256, 320}, {.outFeatures = {320}});
    std::vector<TestTensor> results;
    for (int run = 0; run < 2; ++run) {
        const auto backend = CudaBackend::create(options);
        ASSERT_TRUE(backend) << backend.error().message;
        const auto result = runNode(**backend, layer.node, layer.weights);
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_TRUE(std::filesystem::exists(options.algorithmCacheFile));
        results.push_back(*result);
    }
    EXPECT_EQ(results[0].values, results[1].values);
}

}  // namespace
}  // namespace reelbrush::kernels
