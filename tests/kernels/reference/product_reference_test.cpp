#include "tests/kernels/reference/reference_case.h"

namespace reelbrush::kernels {
namespace {

TEST(Conv2dReference, SumsAWindowWithZerosAround) {
    MemoryWeights weights;
    weights.add("w", {{1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}});
    weights.add("b", {{1}, {100}});
    const TestTensor x{{1, 2, 2, 1}, {1, 10, 100, 1000}};
    // Centre weight is 5; right of it 6, left 4, below 8, above 2; corners 9, 7, 3, 1.
    expectReference(
        {Conv2d{.outChannels = 1}, {x}, {"w", "b"}},
        {{1, 2, 2, 1},
         {100 + 5 + 60 + 800 + 9000, 100 + 4 + 50 + 700 + 8000, 100 + 2 + 30 + 500 + 6000, 100 + 1 + 20 + 400 + 5000}},
        weights);
}

TEST(Conv2dReference, ChannelsResidualAndActivationInThatOrder) {
    MemoryWeights weights;
    weights.add("w", {{2, 2, 1, 1}, {1, 2, -3, 1}});
    Conv2d op{.outChannels = 2,
              .kernelHeight = 1,
              .kernelWidth = 1,
              .padTop = 0,
              .padLeft = 0,
              .padBottom = 0,
              .padRight = 0};
    op.hasBias = false;
    op.hasResidual = true;
    op.activation = Activation::Relu;
    const TestTensor x{{1, 1, 1, 2}, {3, 4}}, residual{{1, 1, 1, 2}, {0.5f, 1}};
    expectReference({op, {x, residual}, {"w"}}, {{1, 1, 1, 2}, {11.5f, 0.0f}}, weights);
}

TEST(Conv2dReference, StrideAndPaddingOnOneSideOnly) {
    MemoryWeights weights;
    weights.add("w", {{1, 1, 3, 3}, {0, 0, 0, 0, 1, 10, 0, 0, 0}});
    const Conv2d op{
        .outChannels = 1, .stride = 2, .padTop = 0, .padLeft = 0, .padBottom = 1, .padRight = 1, .hasBias = false};
    TestTensor x{{1, 4, 4, 1}, std::vector<float>(16)};
    for (std::size_t i = 0; i < 16; ++i) x.values[i] = static_cast<float>(i);
    // Windows begin at rows and columns 0 and 2; their centre is one further.
    expectReference({op, {x}, {"w"}}, {{1, 2, 2, 1}, {5 + 60, 7, 13 + 140, 15}}, weights);
}

TEST(LinearReference, PartsLieSideBySide) {
    MemoryWeights weights;
    weights.add("q", {{1, 2}, {1, 1}});
    weights.add("k", {{2, 2}, {1, 0, 0, 2}});
    weights.add("kb", {{2}, {10, 20}});
    const TestTensor x{{1, 2, 2}, {1, 2, 3, 4}};
    expectReference({Linear{{1, 2}}, {x}, {"q", "k", "", "kb"}}, {{1, 2, 3}, {3, 11, 24, 7, 13, 28}}, weights);
}

TEST(LinearReference, ResidualThenActivation) {
    MemoryWeights weights;
    weights.add("w", {{2, 1, 1, 1}, {2, -2}});
    const Linear op{.outFeatures = {2}, .hasResidual = true, .activation = Activation::Relu};
    expectReference({op, {{{1, 1, 1}, {3}}, {{1, 1, 2}, {1, 1}}}, {"w"}}, {{1, 1, 2}, {7, 0}}, weights);
}

TEST(LinearReference, Int8RowsUseTheirScales) {
    MemoryWeights weights;
    weights.addInt8("w", {{2, 2}, {127, 64, 1.27f, -0.5f}});
    ReferenceBackend backend;
    const auto y = runNode(backend, {Linear{{2}}, {{{1, 2}, {1, 1}}}, {"w"}}, weights);
    ASSERT_TRUE(y.has_value());
    EXPECT_NEAR(y->values[0], 191.0f, 0.2f);
    EXPECT_NEAR(y->values[1], 0.77f, 0.002f);
}

TEST(ReferenceBackend, SaysWhichWeightIsMissingOrOfTheWrongShape) {
    ReferenceBackend backend;
    MemoryWeights weights;
    weights.add("w", {{2, 3}, {1, 2, 3, 4, 5, 6}});
    const auto wrong = runNode(backend, {Linear{{2}}, {{{1, 2}, {1, 1}}}, {"w"}}, weights);
    ASSERT_FALSE(wrong.has_value());
    EXPECT_EQ(wrong.error().code, StatusCode::BadInput);
    EXPECT_THAT(wrong.error().message, testing::AllOf(testing::HasSubstr("[2,3]"), testing::HasSubstr("[2,2]")));
    const auto missing = runNode(backend, {Linear{{2}}, {{{1, 2}, {1, 1}}}, {"v"}}, weights);
    ASSERT_FALSE(missing.has_value());
    EXPECT_THAT(missing.error().message, testing::HasSubstr("'v'"));
    const auto unnamed = runNode(backend, {LayerNorm{}, {{{1, 2}, {1, 1}}}, {}}, weights);
    ASSERT_FALSE(unnamed.has_value());
    EXPECT_EQ(unnamed.error().code, StatusCode::BadInput);
}

}  // namespace
}  // namespace reelbrush::kernels
