#include "tests/kernels/cpu/simd_conformance.h"

#include <fmt/format.h>

namespace reelbrush::kernels {
namespace {

class AttentionConformance : public SimdConformance {};
REELBRUSH_SIMD_LIMITS(AttentionConformance);

constexpr double kTolerance = 1e-5;

NodeCase selfAttention(std::int64_t batch, std::int64_t tokens, int heads, int headSize) {
    const Shape shape{batch, tokens, heads * headSize};
    return {Attention{heads, headSize, 0.0f, {}},
            {normalTensor(shape, 1), normalTensor(shape, 2), normalTensor(shape, 3)},
            {}};
}

TEST_P(AttentionConformance, EveryHeadSize) {
    for (const int headSize : {1, 3, 4, 5, 8, 16, 17, 32, 33, 40, 48, 63, 64, 80, 96, 128, 160, 256, 512})
        expectConforms(fmt::format("head {}", headSize), selfAttention(1, 65, 2, headSize), kTolerance);
}

TEST_P(AttentionConformance, EveryNumberOfTokensNearATileOrAPanel) {
    for (const std::int64_t tokens : {1, 2, 5, 6, 7, 8, 9, 15, 16, 17, 47, 48, 49, 77, 95, 96, 97, 383, 384, 385, 769})
        expectConforms(fmt::format("{} tokens", tokens), selfAttention(1, tokens, 1, 12), kTolerance);
}

TEST_P(AttentionConformance, ManyQueriesAndFewKeys) {
    for (const std::int64_t keys : {1, 2, 16, 77})
        for (const int headSize : {32, 40}) {
            const std::int64_t channels = 3 * headSize;
            const NodeCase node{Attention{3, headSize, 0.0f, {}},
                                {normalTensor({2, 203, channels}, 4), normalTensor({2, keys, channels}, 5),
                                 normalTensor({2, keys, channels}, 6)},
                                {}};
            expectConforms(fmt::format("{} keys, head {}", keys, headSize), node, kTolerance);
        }
}

TEST_P(AttentionConformance, SegmentsOfOtherLengthsSomeSharedByTheBatch) {
    const NodeCase node{Attention{2, 20, 0.0f, {}},
                        {normalTensor({3, 50, 40}, 1), normalTensor({3, 50, 40}, 2), normalTensor({3, 50, 40}, 3),
                         normalTensor({1, 1, 40}, 4), normalTensor({1, 1, 40}, 5), normalTensor({1, 401, 40}, 6),
                         normalTensor({1, 401, 40}, 7), normalTensor({3, 13, 40}, 8), normalTensor({1, 13, 40}, 9)},
                        {}};
    expectConforms("four segments", node, kTolerance);
}

TEST_P(AttentionConformance, ReadsAJointProductInPlace) {
    for (const int headSize : {5, 40}) {
        const int channels = 2 * headSize;
        const TestTensor joint = normalTensor({2, 70, 3 * channels + 3}, 1);
        const NodeCase node{
            Attention{2, headSize, 0.0f, {1, channels + 2, 2 * channels + 3}}, {joint, joint, joint}, {}};
        expectConforms(fmt::format("joint, head {}", headSize), node, kTolerance);
    }
}

TEST_P(AttentionConformance, ScaleOfItsOwn) {
    NodeCase node = selfAttention(1, 33, 2, 8);
    std::get<Attention>(node.op).scale = 1.0f;
    expectConforms("scale 1", node, kTolerance);
    std::get<Attention>(node.op).scale = 0.03f;
    expectConforms("scale 0.03", node, kTolerance);
}

TEST_P(AttentionConformance, LargeScoresNeitherOverflowNorVanish) {
    // A score of 500 in f32 is known to 3e-5 only, and its exponential no better.
    constexpr double kRoundedScores = 3e-4;
    const Shape shape{1, 450, 32};
    // Far below zero everywhere: padding keys, whose score is 0, must not win.
    TestTensor q = randomTensor(shape, 1, 3.0f, 5.0f), k = randomTensor(shape, 2, -5.0f, -3.0f);
    expectConforms("scores near -90", {Attention{1, 32, 0.0f, {}}, {q, k, normalTensor(shape, 3)}, {}}, kRoundedScores);
    // Later tiles have far higher scores than earlier ones, and the reverse.
    for (const bool rises : {false, true}) {
        for (std::size_t i = 0; i < k.values.size(); ++i) {
            const bool late = i > k.values.size() / 2;
            k.values[i] = (late == rises ? 20.0f : -20.0f) + 0.01f * static_cast<float>(i % 7);
        }
        expectConforms(rises ? "rising" : "falling", {Attention{1, 32, 0.0f, {}}, {q, k, normalTensor(shape, 3)}, {}},
                       kRoundedScores);
    }
}

TEST_P(AttentionConformance, MoreQueriesThanOneItemHolds) {
    expectConforms("1100 tokens", selfAttention(1, 1100, 1, 32), kTolerance);
}

TEST_P(AttentionConformance, CausalQueriesSeeNoLaterKeys) {
    // Within a panel, over several tiles of keys and over several items of queries.
    for (const std::int64_t tokens : {1, 2, 7, 16, 77, 385, 1100}) {
        NodeCase node = selfAttention(2, tokens, 2, 32);
        std::get<Attention>(node.op).causal = true;
        expectConforms(fmt::format("{} tokens", tokens), node, kTolerance);
    }
}

TEST_P(AttentionConformance, HiddenKeysCountForNothingHoweverHighTheirScores) {
    const Shape shape{1, 77, 16};
    TestTensor q = randomTensor(shape, 1, 1.0f, 2.0f), k = randomTensor(shape, 2);
    // Every later key scores far higher than those before it.
    for (std::size_t i = 0; i < k.values.size(); ++i) k.values[i] += static_cast<float>(i / 16) * 8.0f;
    NodeCase node{Attention{1, 16, 0.0f, {}}, {q, k, normalTensor(shape, 3)}, {}};
    std::get<Attention>(node.op).causal = true;
    expectConforms("rising", node, 3e-4);
}

}  // namespace
}  // namespace reelbrush::kernels
