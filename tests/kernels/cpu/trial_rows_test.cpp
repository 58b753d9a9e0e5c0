#include "kernels/cpu/trial_rows.h"

#include "tests/kernels/support/memory_weights.h"

#include <gtest/gtest.h>

namespace reelbrush::kernels {
namespace {

/// What is tried in place of a convolution; nothing where that is the whole.
std::optional<std::vector<Shape>> triedInputs(const Conv2d& op, const Shape& input) {
    const Node node{op, {}, {}, {}, "layer"};
    Conv2d plain = op;
    plain.hasResidual = false;
    const Shape output = *outputShape(plain, std::span(&input, 1));
    std::vector<Shape> inputs{input};
    if (op.hasResidual) inputs.push_back(output);
    const MemoryWeights weights;
    const StepRequest whole{node, inputs, output, weights};
    const auto rows = TrialRows::of(whole);
    if (!rows) return std::nullopt;
    const StepRequest part = rows->request(whole);
    EXPECT_EQ(part.output, *outputShape(plain, part.inputs.first(1)));
    if (op.hasResidual) {
        EXPECT_EQ(part.inputs[1], part.output);
    }
    return std::vector<Shape>(part.inputs.begin(), part.inputs.end());
}

TEST(TrialRows, SmallImagesAreTriedWhole) {
    EXPECT_FALSE(triedInputs(Conv2d{.outChannels = 320}, {2, 64, 64, 320}));
    EXPECT_FALSE(triedInputs(Conv2d{.outChannels = 1024}, {1, 16, 1024, 1024}));
}

TEST(TrialRows, LargeImagesAreTriedInPart) {
    const auto inputs = triedInputs(Conv2d{.outChannels = 256}, {2, 512, 512, 256});
    ASSERT_TRUE(inputs);
    EXPECT_EQ(inputs->front(), (Shape{1, 64, 512, 256}));
}

TEST(TrialRows, PartsOfStridedAndUnevenlyPaddedImagesMakeSense) {
    Conv2d op{.outChannels = 128, .stride = 2, .padTop = 0, .padLeft = 0};
    ASSERT_TRUE(triedInputs(op, {1, 1024, 1024, 128}));
}

TEST(TrialRows, ResidualsHaveTheShapeOfThePart) {
    Conv2d op{.outChannels = 128};
    op.hasResidual = true;
    const auto inputs = triedInputs(op, {1, 1024, 1024, 128});
    ASSERT_TRUE(inputs);
    EXPECT_EQ(inputs->size(), 2u);
}

}  // namespace
}  // namespace reelbrush::kernels
