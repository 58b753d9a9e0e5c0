#include "tests/kernels/cuda/cuda_conformance.h"

#include <string>

namespace reelbrush::kernels {
namespace {

class NormCuda : public CudaConformance {
  protected:
    static MemoryWeights weightsFor(std::int64_t channels) {
        MemoryWeights weights;
        weights.add("gamma", normalTensor({channels}, 11, 1.0f, 0.3f));
        weights.add("beta", normalTensor({channels}, 12, 0.0f, 0.5f));
        return weights;
    }
    void expectGroups(const Shape& shape, GroupNorm op, float mean = 0.0f, std::int64_t addBatch = 0) {
        std::vector<TestTensor> inputs{normalTensor(shape, 1, mean, 1.5f)};
        if (addBatch > 0) {
            op.hasChannelAdd = true;
            inputs.push_back(normalTensor({addBatch, shape.channels()}, 2));
        }
        if (op.hasStatistics) {
            TestTensor statistics{{shape.batch(), 2 * op.groups}, {}};
            for (std::int64_t n = 0; n < shape.batch(); ++n)
                for (int i = 0; i < 2 * op.groups; ++i)
                    statistics.values.push_back(i < op.groups ? 0.01f * static_cast<float>(i - n)
                                                              : 1.0f + 0.1f * static_cast<float>(i));
            inputs.push_back(std::move(statistics));
        }
        expectConforms({op, inputs, {"gamma", "beta"}}, weightsFor(shape.channels()), 2e-5);
    }
};

TEST_F(NormCuda, GroupsOfManyShapes) {
    expectGroups({1, 1, 1, 4}, {.groups = 2});
    expectGroups({1, 3, 5, 6}, {.groups = 3});
    expectGroups({2, 7, 9, 24}, {.groups = 4, .activation = Activation::Silu});
    expectGroups({3, 13, 40}, {.groups = 8});
    expectGroups({1, 5, 5, 33}, {.groups = 11});
    expectGroups({1, 2, 3, 2052}, {.groups = 4});
}

TEST_F(NormCuda, LayersOfStableDiffusion) {
    expectGroups({2, 64, 64, 320}, {.activation = Activation::Silu});
    expectGroups({2, 32, 32, 960}, {.activation = Activation::Silu}, 0.0f, 2);
    expectGroups({2, 8, 8, 1280}, {.activation = Activation::Silu}, 0.0f, 1);
    expectGroups({2, 8, 8, 2560}, {.epsilon = 1e-6f});
    expectGroups({1, 128, 128, 128}, {.epsilon = 1e-6f, .activation = Activation::Silu});
    expectGroups({1, 96, 64, 256}, {.epsilon = 1e-6f});
}

TEST_F(NormCuda, GroupsOfEverySize) {
    for (const std::int64_t channels : {32, 64, 96, 160, 256, 416, 512}) expectGroups({2, 7, 9, channels}, {});
    for (const std::int64_t channels : {3, 5, 15, 21})
        for (const int groups : {1, static_cast<int>(channels)})
            expectGroups({1, 13, 11, channels}, {.groups = groups});
    for (const Shape& shape : {Shape{1, 1, 1, 96}, Shape{2, 1, 1, 96}, Shape{2, 77, 96}, Shape{1, 67, 71, 96}})
        expectGroups(shape, {});
}

/// Groups of one pixel whose channels a block has no thread each for.
TEST_F(NormCuda, GroupsWiderThanTheirBlock) {
    expectGroups({2, 1, 1, 4096}, {.groups = 1});
    expectGroups({2, 1, 1, 4100}, {.groups = 4}, 0.0f, 2);
    expectGroups({1, 3, 1, 2050}, {.groups = 1, .activation = Activation::Silu}, 0.0f, 1);
}

/// Groups that each have a processor of the card, and more of them than that.
TEST_F(NormCuda, FewGroupsAndMany) {
    expectGroups({1, 16, 16, 320}, {.activation = Activation::Silu}, 0.0f, 1);
    expectGroups({9, 16, 16, 320}, {.activation = Activation::Silu}, 0.0f, 9);
}

TEST_F(NormCuda, GroupsWithChannelAddAndEveryActivation) {
    for (const std::int64_t addBatch : {1, 2})
        for (const Activation activation : {Activation::None, Activation::Relu, Activation::Silu, Activation::Gelu,
                                            Activation::GeluTanh, Activation::QuickGelu}) {
            expectGroups({2, 9, 10, 40}, {.groups = 8, .activation = activation}, 0.0f, addBatch);
            expectGroups({2, 96, 96, 48}, {.groups = 4, .activation = activation}, 0.0f, addBatch);
        }
}

/// Sums of squares would cancel; in a block and over many.
TEST_F(NormCuda, ValuesFarFromZero) {
    expectGroups({1, 32, 32, 64}, {.groups = 8}, 100.0f);
    expectGroups({1, 128, 128, 64}, {.groups = 8}, 100.0f);
}

/// The deviation is that of epsilon, 0.003, so what is lost of a value of 2.5 shows 300 times.
TEST_F(NormCuda, EqualValuesGiveBeta) {
    for (const Shape& shape : {Shape{1, 6, 6, 16}, Shape{1, 128, 128, 16}})
        expectConforms({GroupNorm{.groups = 4}, {randomTensor(shape, 7, 2.5f, 2.5f)}, {"gamma", "beta"}},
                       weightsFor(16), 5e-4);
}

TEST_F(NormCuda, RefusesGammaOfAnotherShape) {
    const auto backend = backendOf(DType::F32);
    const auto result =
        runNode(*backend, {GroupNorm{}, {normalTensor({1, 2, 2, 64}, 1)}, {"gamma", "beta"}}, weightsFor(32));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, StatusCode::BadInput);
    EXPECT_NE(result.error().message.find("[32]"), std::string::npos) << result.error().message;
    EXPECT_NE(result.error().message.find("[64]"), std::string::npos) << result.error().message;
}

TEST_F(NormCuda, StatisticsFromOutside) {
    expectGroups({2, 9, 7, 64}, {.groups = 8, .hasStatistics = true, .activation = Activation::Silu});
    expectGroups({2, 9, 7, 64}, {.groups = 8, .hasStatistics = true}, 0.0f, 2);
}

TEST_F(NormCuda, Layers) {
    for (const Shape& shape : {Shape{1, 1, 1}, Shape{2, 3, 7}, Shape{1, 77, 768}, Shape{2, 33, 320}, Shape{1, 5, 1280},
                               Shape{1, 3, 1664}, Shape{1, 2, 5000}})
        for (const float mean : {0.0f, 30.0f})
            expectConforms({LayerNorm{}, {normalTensor(shape, 3, mean, 2.0f)}, {"gamma", "beta"}},
                           weightsFor(shape.channels()), 2e-5);
}

}  // namespace
}  // namespace reelbrush::kernels
