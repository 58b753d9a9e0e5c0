#include "tests/kernels/reference/reference_case.h"

namespace reelbrush::kernels {
namespace {

MemoryWeights plain(std::int64_t channels) {
    MemoryWeights weights;
    weights.add("one", {{channels}, std::vector<float>(static_cast<std::size_t>(channels), 1.0f)});
    weights.add("zero", {{channels}, std::vector<float>(static_cast<std::size_t>(channels), 0.0f)});
    return weights;
}

TEST(GroupNormReference, EachGroupOverAllPixelsOfEachSample) {
    // Groups {0,1} and {2,3}: values 0,2 | 10,10 in the first pixel and 4,6 | 30,30 in the second.
    // Means 3 and 20, variances 5 and 100.
    const TestTensor x{{1, 1, 2, 4}, {0, 2, 10, 10, 4, 6, 30, 30}};
    const float r = 1.0f / std::sqrt(5.0f);
    expectReference({GroupNorm{.groups = 2, .epsilon = 0.0f}, {x}, {"one", "zero"}},
                    {{1, 1, 2, 4}, {-3 * r, -r, -1, -1, r, 3 * r, 1, 1}}, plain(4));
}

TEST(GroupNormReference, GammaBetaChannelAddAndActivation) {
    MemoryWeights weights;
    weights.add("gamma", {{2}, {2, 3}});
    weights.add("beta", {{2}, {1, 0}});
    const GroupNorm op{.groups = 1, .epsilon = 0.0f, .hasChannelAdd = true, .activation = Activation::Relu};
    // With the add: -1 and 1.
    expectReference({op, {{{1, 1, 1, 2}, {4, 4}}, {{1, 2}, {-5, -3}}}, {"gamma", "beta"}}, {{1, 1, 1, 2}, {0, 3}},
                    weights);
}

TEST(GroupNormReference, GivenStatisticsReplaceThoseOfTheInput) {
    const GroupNorm op{.groups = 2, .epsilon = 0.0f, .hasStatistics = true};
    // Means 1 and 2, variances 4 and 16.
    expectReference({op, {{{1, 1, 1, 2}, {5, 10}}, {{1, 4}, {1, 2, 4, 16}}}, {"one", "zero"}}, {{1, 1, 1, 2}, {2, 2}},
                    plain(2));
}

TEST(GroupNormReference, EpsilonIsInsideTheRoot) {
    const GroupNorm op{.groups = 1, .epsilon = 3.0f};
    expectReference({op, {{{1, 1, 1, 2}, {-1, 1}}}, {"one", "zero"}}, {{1, 1, 1, 2}, {-0.5f, 0.5f}}, plain(2));
}

TEST(LayerNormReference, EachRowAlone) {
    expectReference({LayerNorm{0.0f}, {{{1, 2, 2}, {1, 3, -10, 30}}}, {"one", "zero"}}, {{1, 2, 2}, {-1, 1, -1, 1}},
                    plain(2));
    MemoryWeights weights;
    weights.add("gamma", {{2}, {2, 4}});
    weights.add("beta", {{2}, {1, -1}});
    expectReference({LayerNorm{3.0f}, {{{1, 2}, {-1, 1}}}, {"gamma", "beta"}}, {{1, 2}, {0, 1}}, weights);
}

}  // namespace
}  // namespace reelbrush::kernels
