#include "tests/kernels/cpu/simd_conformance.h"

#include <fmt/format.h>

namespace reelbrush::kernels {
namespace {

constexpr double kTolerance = 2e-6;

MemoryWeights gammaAndBeta(std::int64_t channels) {
    MemoryWeights weights;
    weights.add("gamma", normalTensor({channels}, 11, 1.0f, 0.3f));
    weights.add("beta", normalTensor({channels}, 12, 0.0f, 0.3f));
    return weights;
}

NodeCase groupNorm(const GroupNorm& op, const TestTensor& x) {
    return {op, {x}, {"gamma", "beta"}};
}

class GroupNormConformance : public SimdConformance {};
REELBRUSH_SIMD_LIMITS(GroupNormConformance);

TEST_P(GroupNormConformance, EveryGroupSize) {
    for (const std::int64_t channels : {32, 64, 96, 160, 256, 320, 416, 512, 1280})
        expectConforms(fmt::format("{} channels", channels),
                       groupNorm(GroupNorm{.groups = 32, .epsilon = 1e-5f}, normalTensor({2, 7, 9, channels}, 1)),
                       kTolerance, gammaAndBeta(channels));
    for (const std::int64_t channels : {3, 5, 15, 21})
        for (const int groups : {1, static_cast<int>(channels)})
            expectConforms(fmt::format("{} channels in {}", channels, groups),
                           groupNorm(GroupNorm{.groups = groups}, normalTensor({1, 13, 11, channels}, 2)), kTolerance,
                           gammaAndBeta(channels));
}

TEST_P(GroupNormConformance, OnePixelTokensAndManyPixels) {
    for (const Shape& shape : {Shape{1, 1, 1, 96}, Shape{2, 1, 1, 96}, Shape{2, 77, 96}, Shape{1, 67, 71, 96}})
        expectConforms(shape.toString(), groupNorm(GroupNorm{}, normalTensor(shape, 3)), kTolerance, gammaAndBeta(96));
}

TEST_P(GroupNormConformance, ChannelAddAndActivations) {
    for (const std::int64_t batch : {1, 2})
        for (const Activation activation : {Activation::None, Activation::Silu, Activation::Relu, Activation::Gelu,
                                            Activation::GeluTanh, Activation::QuickGelu}) {
            const NodeCase node{GroupNorm{.groups = 8, .hasChannelAdd = true, .activation = activation},
                                {normalTensor({2, 9, 10, 40}, 4), normalTensor({batch, 40}, 5, 0.0f, 3.0f)},
                                {"gamma", "beta"}};
            expectConforms(fmt::format("activation {}", static_cast<int>(activation)), node, kTolerance,
                           gammaAndBeta(40));
        }
}

TEST_P(GroupNormConformance, MeansFarFromZeroDoNotCancel) {
    TestTensor x = normalTensor({1, 40, 40, 32}, 6);
    for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] += 300.0f * static_cast<float>(i % 32) - 4000.0f;
    expectConforms("means to 5000 in groups of their own", groupNorm(GroupNorm{.groups = 32}, x), 2e-4,
                   gammaAndBeta(32));
    expectConforms("means to 5000 in one group", groupNorm(GroupNorm{.groups = 1}, x), kTolerance, gammaAndBeta(32));
}

TEST_P(GroupNormConformance, GivenStatisticsOfEachSample) {
    const GroupNorm op{.groups = 8, .hasStatistics = true, .activation = Activation::Silu};
    TestTensor statistics = randomTensor({2, 16}, 8, 0.5f, 2.0f);
    expectConforms("statistics", {op, {normalTensor({2, 9, 10, 40}, 4), statistics}, {"gamma", "beta"}}, kTolerance,
                   gammaAndBeta(40));
    GroupNorm shifted = op;
    shifted.hasChannelAdd = true;
    expectConforms(
        "statistics and channel add",
        {shifted, {normalTensor({2, 9, 10, 40}, 4), normalTensor({1, 40}, 5), statistics}, {"gamma", "beta"}},
        kTolerance, gammaAndBeta(40));
}

TEST_P(GroupNormConformance, ConstantInputGivesBeta) {
    // The deviation is that of epsilon, 0.003, so a value of 2.5 cancels 800 units of the result.
    expectConforms("constant", groupNorm(GroupNorm{.groups = 4}, randomTensor({1, 6, 6, 16}, 7, 2.5f, 2.5f)), 2e-4,
                   gammaAndBeta(16));
}

TEST(GroupNormStep, RefusesGammaOfAnotherShape) {
    SimdBackend backend(1);
    const auto result = runNode(backend, groupNorm(GroupNorm{}, normalTensor({1, 2, 2, 64}, 1)), gammaAndBeta(32));
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, StatusCode::BadInput);
    EXPECT_NE(result.error().message.find("[32]"), std::string::npos) << result.error().message;
    EXPECT_NE(result.error().message.find("[64]"), std::string::npos) << result.error().message;
}

class LayerNormConformance : public SimdConformance {};
REELBRUSH_SIMD_LIMITS(LayerNormConformance);

TEST_P(LayerNormConformance, EveryWidth) {
    for (const std::int64_t channels : {1, 2, 3, 15, 16, 17, 63, 64, 65, 96, 192, 320, 333, 1280})
        for (const Shape& shape : {Shape{1, 1, channels}, Shape{2, 50, channels}})
            expectConforms(shape.toString(), {LayerNorm{}, {normalTensor(shape, 1, 0.5f, 2.0f)}, {"gamma", "beta"}},
                           channels < 4 ? 2e-5 : kTolerance, gammaAndBeta(channels));  // few values: nearly equal ones
}

TEST_P(LayerNormConformance, MeansFarFromZeroDoNotCancel) {
    expectConforms("mean 1000", {LayerNorm{}, {normalTensor({1, 20, 320}, 1, 1000.0f, 1.0f)}, {"gamma", "beta"}}, 1e-4,
                   gammaAndBeta(320));
}

}  // namespace
}  // namespace reelbrush::kernels
