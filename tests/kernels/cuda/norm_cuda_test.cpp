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

/// Sums of squares would cancel.
TEST_F(NormCuda, ValuesFarFromZero) {
    expectGroups({1, 32, 32, 64}, {.groups = 8}, 100.0f);
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
