#include "tests/kernels/cuda/cuda_conformance.h"

namespace reelbrush::kernels {
namespace {

using ElementwiseCuda = CudaConformance;

TEST_F(ElementwiseCuda, EveryActivation) {
    for (const Activation kind : {Activation::None, Activation::Relu, Activation::Silu, Activation::Gelu,
                                  Activation::GeluTanh, Activation::QuickGelu})
        for (const Shape& shape : {Shape{1, 9}, Shape{2, 5, 7, 3}, Shape{1, 64, 64, 32}})
            expectConforms({ActivationOp{kind}, {normalTensor(shape, 1, 0.0f, 3.0f)}, {}});
}

/// Exponentials overflow on the way; the results must not.
TEST_F(ElementwiseCuda, ActivationsOverTheirWholeRange) {
    for (const float range : {120.0f, 30000.0f})
        for (const Activation kind :
             {Activation::Relu, Activation::Silu, Activation::Gelu, Activation::GeluTanh, Activation::QuickGelu})
            expectConforms({ActivationOp{kind}, {randomTensor({1, 99, 7}, 1, -range, range)}, {}});
}

TEST_F(ElementwiseCuda, EveryLength) {
    for (const std::int64_t count : {1, 7, 8, 9, 255, 256, 257, 2049}) {
        expectConforms({ActivationOp{Activation::Silu}, {normalTensor({count}, 3)}, {}});
        expectConforms({SoftClamp{3.0f}, {normalTensor({count}, 4, 0.0f, 4.0f)}, {}});
    }
}

TEST_F(ElementwiseCuda, Sums) {
    for (const Shape& shape : {Shape{1, 1}, Shape{2, 3, 5, 7}, Shape{2, 16, 16, 320}, Shape{3, 77, 64}}) {
        expectConforms({Add{}, {normalTensor(shape, 1), normalTensor(shape, 2)}, {}});
        std::vector<std::int64_t> one(shape.dims().begin(), shape.dims().end());
        one[0] = 1;
        expectConforms({Add{}, {normalTensor(shape, 1), normalTensor(Shape(one), 2)}, {}});
        for (const std::int64_t batch : {std::int64_t{1}, shape.batch()})
            expectConforms({AddChannels{}, {normalTensor(shape, 1), normalTensor({batch, shape.channels()}, 3)}, {}});
    }
}

TEST_F(ElementwiseCuda, ScalesAndClamps) {
    for (const Shape& shape : {Shape{1, 3}, Shape{1, 8, 9, 3}, Shape{2, 16, 16, 32}}) {
        const TestTensor x = normalTensor(shape, 4, 0.0f, 2.0f);
        expectConforms({Affine{.scale = 0.5f, .offset = 0.25f}, {x}, {}});
        expectConforms({Affine{.scale = 0.5f, .offset = 0.5f, .low = 0.0f, .high = 1.0f}, {x}, {}});
        expectConforms({SoftClamp{3.0f}, {x}, {}});
        for (int index = 0; index < 3; ++index)
            expectConforms({ScaleBy{index}, {x, TestTensor{{3}, {0.123456789f, -2.0f, 0.0f}}}, {}});
    }
}

TEST_F(ElementwiseCuda, GatedGelu) {
    for (const Shape& shape : {Shape{1, 1, 2}, Shape{2, 5, 14}, Shape{2, 21, 32}, Shape{2, 21, 34}, Shape{1, 9, 200},
                               Shape{2, 64, 2560}, Shape{1, 3, 5120}})
        expectConforms({Geglu{}, {normalTensor(shape, 5, 0.0f, 2.0f)}, {}});
}

TEST_F(ElementwiseCuda, TimestepEmbeddings) {
    const TestTensor times{{6}, {0.0f, 1.0f, 250.375f, 499.0f, 958.23f, 999.0f}};
    for (const bool cosineFirst : {true, false})
        for (const float shift : {0.0f, 1.0f})
            expectConforms(
                {TimestepEmbedding{.channels = 320, .cosineFirst = cosineFirst, .frequencyShift = shift}, {times}, {}});
    for (const int channels : {2, 6, 128})
        expectConforms({TimestepEmbedding{.channels = channels}, {TestTensor{{1}, {1024.0f}}}, {}});
}

}  // namespace
}  // namespace reelbrush::kernels
