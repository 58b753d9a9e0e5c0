#include "kernels/cuda/conv2d_cuda.h"

#include "kernels/cuda/cuda_context.h"
#include "kernels/cuda/cuda_device.h"
#include "kernels/reference/reference_backend.h"
#include "tests/kernels/cuda/cuda_conformance.h"
#include "tests/kernels/support/convolutions.h"

#include <cmath>

namespace reelbrush::kernels {
namespace {

struct Layer {
    NodeCase node;
    MemoryWeights weights;
};

/// Weights of the size that networks have: outputs near 1 for inputs near 1.
Layer makeLayer(const Shape& input, const Conv2d& op, bool int8Weights = false) {
    Layer layer;
    const std::int64_t in = input.channels();
    const float range = std::sqrt(3.0f / static_cast<float>(in * op.kernelHeight * op.kernelWidth));
    const TestTensor weight = randomTensor({op.outChannels, in, op.kernelHeight, op.kernelWidth}, 2, -range, range);
    if (int8Weights)
        layer.weights.addInt8("weight", weight);
    else
        layer.weights.add("weight", weight);
    layer.weights.add("bias", randomTensor({op.outChannels}, 3));
    layer.node = {op, {randomTensor(input, 1, -2.0f, 2.0f)}, {"weight"}};
    if (op.hasBias) layer.node.weights.push_back("bias");
    if (op.hasResidual) {
        const auto shape = outputShape(with(op, false, Activation::None), std::span(&input, 1));
        layer.node.inputs.push_back(randomTensor(*shape, 4));
    }
    return layer;
}

class Conv2dCuda : public CudaConformance {
  protected:
    void expectConforms(const Layer& layer) { CudaConformance::expectConforms(layer.node, layer.weights); }
};

TEST_F(Conv2dCuda, FewAndOddChannels) {
    for (const auto& [in, out] :
         {std::pair{1, 1}, {3, 5}, {3, 64}, {4, 320}, {9, 64}, {12, 64}, {64, 12}, {64, 3}, {320, 4}, {5, 7}})
        expectConforms(makeLayer({1, 9, 7, in}, conv(out)));
}

TEST_F(Conv2dCuda, OddSizes) {
    expectConforms(makeLayer({1, 1, 1, 96}, conv(96)));
    expectConforms(makeLayer({1, 1, 7, 3}, conv(5)));
    expectConforms(makeLayer({1, 33, 31, 5}, conv(7)));
    expectConforms(makeLayer({1, 17, 15, 16}, conv(32)));
    expectConforms(makeLayer({2, 8, 12, 96}, conv(160)));
    expectConforms(makeLayer({1, 5, 6, 416}, conv(160)));
}

TEST_F(Conv2dCuda, StridesKernelsAndPaddings) {
    expectConforms(makeLayer({1, 16, 16, 64}, conv(64, 3, 2)));
    expectConforms(makeLayer({1, 15, 17, 96}, conv(96, 3, 2)));
    expectConforms(makeLayer({1, 10, 10, 8}, conv(16, 5)));
    expectConforms(makeLayer({1, 12, 12, 32}, conv(48, 1, 2)));
    expectConforms(makeLayer({1, 64, 48, 3}, padded(conv(192, 16, 16), 0, 0, 0, 0)));
    // The down-sampler of the autoencoder pads on two sides only.
    expectConforms(makeLayer({1, 16, 12, 32}, padded(conv(32, 3, 2), 0, 0, 1, 1)));
    expectConforms(makeLayer({1, 9, 9, 16}, padded(conv(24, 3, 2), 0, 0, 1, 1)));
    expectConforms(makeLayer({2, 9, 9, 16}, padded(conv(24), 2, 0, 1, 3)));
}

TEST_F(Conv2dCuda, EveryActivationWithAndWithoutResidualAndBias) {
    for (const Activation activation : {Activation::None, Activation::Relu, Activation::Silu, Activation::Gelu,
                                        Activation::GeluTanh, Activation::QuickGelu})
        for (const bool residual : {false, true})
            for (const std::int64_t batch : {1, 2})
                expectConforms(makeLayer({batch, 7, 9, 32}, with(conv(48), residual, activation, batch == 1)));
}

TEST_F(Conv2dCuda, PaddedChannelsHaveAnEpilogueToo) {
    expectConforms(makeLayer({2, 6, 5, 4}, with(conv(12), true, Activation::Silu)));
    expectConforms(makeLayer({1, 6, 5, 10}, with(conv(3), true, Activation::Relu)));
    expectConforms(makeLayer({1, 6, 5, 8}, with(conv(3), false, Activation::None, false)));
}

/// Large enough for engines to be measured.
TEST_F(Conv2dCuda, ShapesOfModels) {
    expectConforms(makeLayer({1, 16, 16, 320}, with(conv(320), true, Activation::None)));
    expectConforms(makeLayer({2, 8, 8, 640}, conv(320)));
    expectConforms(makeLayer({1, 36, 64, 32}, with(conv(96), false, Activation::Silu)));
}

TEST_F(Conv2dCuda, Int8Weights) {
    expectConforms(makeLayer({1, 8, 8, 32}, with(conv(48), true, Activation::Silu), true));
}

/// What networks are made of runs through an engine of cuDNN.
TEST_F(Conv2dCuda, LayersOfNetworksDoNotFallBack) {
    for (const DType type : {DType::F32, DType::BF16, DType::F16}) {
        const auto backend = backendOf(type);
        const Layer layer = makeLayer({1, 16, 16, 64}, with(conv(64), true, Activation::Silu));
        const Node node{layer.node.op, {}, {}, layer.node.weights, "test"};
        const std::vector<Shape> inputs{layer.node.inputs[0].shape, layer.node.inputs[1].shape};
        backend->enter();
        const auto step = backend->prepare(StepRequest{node, inputs, inputs[1], layer.weights});
        ASSERT_TRUE(step) << step.error().message;
        EXPECT_NE((*step)->algorithm(), "direct") << nameOf(type);
        EXPECT_GT((*step)->weightBytes(), 0u);
    }
}

/// The convolution without cuDNN as a backend.
class DirectBackend final : public Backend {
  public:
    explicit DirectBackend(DType type)
        : context_(*CudaContext::create(0, type, std::make_shared<MemoryBudget>(0))), device_(*context_) {}
    Result<std::unique_ptr<Step>> prepare(const StepRequest& request) override {
        return makeDirectConv2dStep(request, *context_);
    }
    Device* device() override { return &device_; }

  private:
    std::unique_ptr<CudaContext> context_;
    CudaDevice device_;
};

TEST_F(Conv2dCuda, DirectMatchesTheReference) {
    ReferenceBackend reference;
    const std::vector<Layer> layers{makeLayer({1, 9, 7, 3}, conv(5)),
                                    makeLayer({2, 9, 9, 16}, padded(conv(24, 3, 2), 0, 0, 1, 1)),
                                    makeLayer({2, 6, 5, 12}, with(conv(20), true, Activation::Silu)),
                                    makeLayer({1, 10, 10, 8}, with(conv(16, 5), true, Activation::None, false))};
    DirectBackend backend(DType::F32);
    for (const Layer& layer : layers) {
        const auto expected = runNode(reference, layer.node, layer.weights);
        const auto actual = runNode(backend, layer.node, layer.weights);
        ASSERT_TRUE(expected && actual) << (actual ? expected : actual).error().message;
        const Difference difference = compare(*actual, *expected);
        EXPECT_LE(difference.maxRelative, 1e-5) << difference.toString();
    }
}

}  // namespace
}  // namespace reelbrush::kernels
