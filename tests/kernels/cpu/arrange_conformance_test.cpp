#include "tests/kernels/cpu/simd_conformance.h"

#include <fmt/format.h>

namespace reelbrush::kernels {
namespace {

/// Values are only moved, so nothing may change.
constexpr double kExact = 0.0;

class ArrangeConformance : public SimdConformance {};
INSTANTIATE_TEST_SUITE_P(Limits, ArrangeConformance, testing::Values(SimdLimit::Best));

TEST_P(ArrangeConformance, ConcatChannels) {
    expectConforms("pictures",
                   {ConcatChannels{},
                    {normalTensor({2, 5, 7, 3}, 1), normalTensor({1, 5, 7, 16}, 2), normalTensor({2, 5, 7, 1}, 3)},
                    {}},
                   kExact);
    expectConforms("first of batch 1", {ConcatChannels{}, {normalTensor({1, 9, 4}, 1), normalTensor({3, 9, 5}, 2)}, {}},
                   kExact);
    expectConforms("vectors", {ConcatChannels{}, {normalTensor({2, 4}, 1), normalTensor({2, 5}, 2)}, {}}, kExact);
    expectConforms("one alone", {ConcatChannels{}, {normalTensor({2, 4, 3}, 1)}, {}}, kExact);
    expectConforms(
        "large", {ConcatChannels{}, {normalTensor({2, 64, 64, 33}, 1), normalTensor({2, 64, 64, 31}, 2)}, {}}, kExact);
}

TEST_P(ArrangeConformance, ConcatTokens) {
    expectConforms(
        "shared first",
        {ConcatTokens{}, {normalTensor({1, 1, 5}, 1), normalTensor({2, 7, 5}, 2), normalTensor({2, 3, 5}, 3)}, {}},
        kExact);
    expectConforms("all of batch 1", {ConcatTokens{}, {normalTensor({1, 3, 5}, 1), normalTensor({1, 4, 5}, 2)}, {}},
                   kExact);
}

TEST_P(ArrangeConformance, RepeatBatch) {
    for (const int times : {1, 2, 3}) {
        expectConforms("picture", {RepeatBatch{times}, {normalTensor({1, 5, 7, 3}, 1)}, {}}, kExact);
        expectConforms("vector", {RepeatBatch{times}, {normalTensor({1, 7}, 1)}, {}}, kExact);
    }
    expectConforms("large", {RepeatBatch{2}, {normalTensor({1, 64, 64, 32}, 1)}, {}}, kExact);
}

TEST_P(ArrangeConformance, BatchesAreCutAndJoined) {
    expectConforms("first", {SliceBatch{0, 1}, {normalTensor({3, 5, 7, 3}, 1)}, {}}, kExact);
    expectConforms("rest", {SliceBatch{1, 2}, {normalTensor({3, 5, 7}, 1)}, {}}, kExact);
    expectConforms("large", {SliceBatch{1, 1}, {normalTensor({2, 4096, 33}, 1)}, {}}, kExact);
    expectConforms("joined", {ConcatBatch{}, {normalTensor({1, 5, 7}, 1), normalTensor({2, 5, 7}, 2)}, {}}, kExact);
    expectConforms("one alone", {ConcatBatch{}, {normalTensor({2, 3}, 1)}, {}}, kExact);
}

TEST_P(ArrangeConformance, UpsampleNearest) {
    for (const std::int64_t channels : {1, 3, 16, 33})
        for (const auto& [height, width] :
             {std::pair{14, 18}, std::pair{7, 9}, std::pair{15, 20}, std::pair{1, 1}, std::pair{3, 40}})
            expectConforms(fmt::format("to {}x{} of {} channels", height, width, channels),
                           {UpsampleNearest{height, width}, {normalTensor({2, 7, 9, channels}, 1)}, {}}, kExact);
    expectConforms("one pixel", {UpsampleNearest{2, 2}, {normalTensor({1, 1, 1, 5}, 1)}, {}}, kExact);
    expectConforms("large", {UpsampleNearest{64, 96}, {normalTensor({1, 32, 48, 64}, 1)}, {}}, kExact);
}

TEST_P(ArrangeConformance, PixelShuffles) {
    for (const int factor : {1, 2, 3, 8})
        for (const std::int64_t channels : {1, 3, 5}) {
            expectConforms(fmt::format("unshuffle by {}", factor),
                           {PixelUnshuffle{factor}, {normalTensor({2, 3 * factor, 2 * factor, channels}, 1)}, {}},
                           kExact);
            expectConforms(fmt::format("shuffle by {}", factor),
                           {PixelShuffle{factor}, {normalTensor({2, 3, 2, channels * factor * factor}, 1)}, {}},
                           kExact);
        }
    expectConforms("large", {PixelUnshuffle{2}, {normalTensor({1, 256, 256, 3}, 1)}, {}}, kExact);
}

TEST_P(ArrangeConformance, SwapAxes) {
    for (const Shape& shape :
         {Shape{1, 1, 1, 1}, Shape{1, 1, 7, 3}, Shape{2, 6, 1, 5}, Shape{2, 16, 35, 33}, Shape{1, 16, 1024, 64}})
        expectConforms(shape.toString(), {SwapAxes{}, {normalTensor(shape, 1)}, {}}, kExact);
}

TEST_P(ArrangeConformance, ConstantOfAnyStoredShape) {
    MemoryWeights weights;
    weights.add("queries", normalTensor({16, 12}, 1));
    expectConforms("constant", {Constant{{1, 16, 12}}, {}, {"queries"}}, kExact, weights);
}

TEST(SimdStep, RefusesWhatItHasNoCodeFor) {
    SimdBackend backend(1);
    const auto linear = runNode(backend, {Linear{{4}}, {normalTensor({1, 2, 3}, 1)}, {"w"}});
    ASSERT_FALSE(linear.has_value());
    EXPECT_EQ(linear.error().code, StatusCode::Unsupported);
    const auto constant = runNode(backend, {Constant{{1, 4}}, {}, {"absent"}});
    ASSERT_FALSE(constant.has_value());
    EXPECT_EQ(constant.error().code, StatusCode::BadInput);
}

TEST(SimdStep, LoadsWeightsAgain) {
    MemoryWeights before, after;
    before.add("token", {{2}, {1.0f, 2.0f}});
    after.add("token", {{2}, {3.0f, 4.0f}});
    const Node node{Constant{{1, 2}}, {}, {}, {"token"}, "test"};
    const Shape output{1, 2};
    const auto step = makeSimdStep(StepRequest{node, {}, output, before}, 1);
    ASSERT_TRUE(step.has_value());
    float result[2];
    (*step)->bind({{}, result, nullptr});
    ASSERT_TRUE((*step)->loadWeights(after).has_value());
    ASSERT_TRUE((*step)->run().has_value());
    EXPECT_EQ(result[0], 3.0f);
    EXPECT_EQ(result[1], 4.0f);
}

}  // namespace
}  // namespace reelbrush::kernels
