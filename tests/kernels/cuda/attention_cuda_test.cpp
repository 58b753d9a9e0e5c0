#include "tests/kernels/cuda/cuda_conformance.h"

#include <fmt/format.h>

namespace reelbrush::kernels {
namespace {

/// Tests of attention: flash kernels for narrow heads, products for wide ones, the plain kernel for the rest.
class AttentionCuda : public CudaConformance {
  protected:
    void expectConforms(const std::string& label, const NodeCase& node, double tolerance = 2e-5) {
        SCOPED_TRACE(label);
        CudaConformance::expectConforms(node, {}, tolerance);
    }
};

NodeCase attention(std::int64_t batch, std::int64_t queries, std::int64_t keys, int heads, int headSize) {
    const std::int64_t channels = std::int64_t{heads} * headSize;
    return {Attention{heads, headSize, 0.0f, {}},
            {normalTensor({batch, queries, channels}, 1), normalTensor({batch, keys, channels}, 2),
             normalTensor({batch, keys, channels}, 3)},
            {}};
}

NodeCase selfAttention(std::int64_t batch, std::int64_t tokens, int heads, int headSize) {
    return attention(batch, tokens, tokens, heads, headSize);
}

NodeCase causalAttention(std::int64_t batch, std::int64_t tokens, int heads, int headSize) {
    NodeCase node = selfAttention(batch, tokens, heads, headSize);
    std::get<Attention>(node.op).causal = true;
    return node;
}

TEST_F(AttentionCuda, EveryHeadSize) {
    for (const int headSize : {1,  3,  4,  5,  8,   16,  17,  24,  32,  33,  40,  48,  56,  63, 64,
                               72, 80, 88, 96, 104, 112, 120, 128, 136, 160, 168, 256, 512, 520})
        expectConforms(fmt::format("head {}", headSize), selfAttention(1, 65, 2, headSize));
}

TEST_F(AttentionCuda, EveryNumberOfTokensNearATileOrAChunk) {
    for (const std::int64_t tokens :
         {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 77, 95, 96, 97, 127, 128, 129, 255, 257, 385})
        for (const int headSize : {12, 40, 64})
            expectConforms(fmt::format("{} tokens, head {}", tokens, headSize), selfAttention(1, tokens, 1, headSize));
}

TEST_F(AttentionCuda, ManyQueriesAndFewKeys) {
    // Cross-attention with a text, and with the tokens of a style picture.
    for (const std::int64_t keys : {1, 2, 4, 16, 77, 257})
        for (const int headSize : {32, 40, 64, 80, 160})
            expectConforms(fmt::format("{} keys, head {}", keys, headSize), attention(2, 203, keys, 3, headSize));
}

TEST_F(AttentionCuda, FewQueriesAndManyKeys) {
    // The tokens that a style resampler learns from a picture's.
    for (const int headSize : {48, 64, 160})
        expectConforms(fmt::format("head {}", headSize), attention(2, 16, 273, 4, headSize));
}

/// Enough queries for the layout that fills the card, on any card of up to 150 multiprocessors.
TEST_F(AttentionCuda, EnoughQueriesToFillTheCard) {
    expectConforms("head 32", selfAttention(230, 33, 1, 32));
    expectConforms("head 40", attention(230, 70, 100, 1, 40));
    expectConforms("head 40, two blocks", attention(95, 300, 40, 1, 40));
    expectConforms("head 40, causal", causalAttention(230, 70, 1, 40));
    expectConforms("head 64", attention(330, 130, 67, 1, 64));
    expectConforms("head 80", attention(230, 129, 64, 1, 80));
    expectConforms("head 128", attention(230, 65, 65, 1, 128));
    expectConforms("head 160", attention(230, 63, 129, 1, 160));
    expectConforms("head 160, causal", causalAttention(230, 63, 1, 160));
}

TEST_F(AttentionCuda, LayersOfStableDiffusion) {
    expectConforms("SD 1.5, first level", selfAttention(2, 1024, 2, 40));
    expectConforms("SD 1.5, second level", selfAttention(2, 256, 4, 80));
    expectConforms("SD 1.5, third level", selfAttention(2, 144, 4, 160));
    expectConforms("SD 1.5, middle", selfAttention(2, 64, 8, 160));
    expectConforms("SDXL", selfAttention(2, 576, 3, 64));
    expectConforms("CLIP text", causalAttention(2, 77, 12, 64));
    expectConforms("CLIP vision", selfAttention(1, 257, 4, 80));
    expectConforms("starter model", selfAttention(3, 144, 5, 32));
    expectConforms("VAE", selfAttention(2, 300, 1, 512));
}

TEST_F(AttentionCuda, ManyQueriesOfAVaeGoThroughInParts) {
    // More scores than a part may have; the last part is smaller.
    expectConforms("700 queries of 8200 keys", attention(1, 700, 8200, 1, 168));
}

TEST_F(AttentionCuda, FramesOfManyPixels) {
    for (const std::int64_t frames : {1, 8, 15, 16, 17, 24, 31, 32, 33})
        for (const int headSize : {40, 80, 160})
            expectConforms(fmt::format("{} frames, head {}", frames, headSize), selfAttention(37, frames, 3, headSize));
}

TEST_F(AttentionCuda, SegmentsOfOtherLengthsSomeSharedByTheBatch) {
    for (const int headSize : {20, 40, 80, 160}) {
        const std::int64_t c = 2 * headSize;
        const NodeCase node{Attention{2, headSize, 0.0f, {}},
                            {normalTensor({3, 50, c}, 1), normalTensor({3, 50, c}, 2), normalTensor({3, 50, c}, 3),
                             normalTensor({1, 1, c}, 4), normalTensor({1, 1, c}, 5), normalTensor({1, 401, c}, 6),
                             normalTensor({1, 401, c}, 7), normalTensor({3, 13, c}, 8), normalTensor({1, 13, c}, 9)},
                            {}};
        expectConforms(fmt::format("four segments, head {}", headSize), node);
    }
}

TEST_F(AttentionCuda, SmallSegmentsOfManyPixels) {
    const NodeCase node{Attention{2, 40, 0.0f, {}},
                        {normalTensor({21, 16, 80}, 1), normalTensor({21, 16, 80}, 2), normalTensor({21, 16, 80}, 3),
                         normalTensor({1, 5, 80}, 4), normalTensor({1, 5, 80}, 5), normalTensor({21, 37, 80}, 6),
                         normalTensor({21, 37, 80}, 7)},
                        {}};
    expectConforms("three segments", node);
}

TEST_F(AttentionCuda, WideHeadsOfTwoSegments) {
    const NodeCase node{Attention{1, 256, 0.0f, {}},
                        {normalTensor({2, 40, 256}, 1), normalTensor({2, 40, 256}, 2), normalTensor({2, 40, 256}, 3),
                         normalTensor({1, 9, 256}, 4), normalTensor({1, 9, 256}, 5)},
                        {}};
    expectConforms("two segments", node);
}

TEST_F(AttentionCuda, TooManySegmentsAreToldSo) {
    NodeCase node{Attention{1, 8, 0.0f, {}}, {normalTensor({1, 2, 8}, 1)}, {}};
    for (int i = 0; i < 34; ++i) node.inputs.push_back(normalTensor({1, 2, 8}, 2));
    const auto result = runNode(*backendOf(DType::F16), node);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, StatusCode::Unsupported);
    EXPECT_NE(result.error().message.find("17"), std::string::npos) << result.error().message;
}

TEST_F(AttentionCuda, ReadsAJointProductInPlace) {
    // Where a row or an offset is no multiple of 16 bytes, and where all are.
    for (const int headSize : {5, 40}) {
        const int channels = 2 * headSize;
        const TestTensor joint = normalTensor({2, 70, 3 * channels + 3}, 1);
        const NodeCase node{
            Attention{2, headSize, 0.0f, {1, channels + 2, 2 * channels + 3}}, {joint, joint, joint}, {}};
        expectConforms(fmt::format("odd offsets, head {}", headSize), node);
    }
    for (const int headSize : {32, 40, 64, 80, 104, 160, 512}) {
        const int channels = 2 * headSize;
        const TestTensor joint = normalTensor({2, 70, 3 * channels + 8}, 1);
        const NodeCase node{
            Attention{2, headSize, 0.0f, {0, channels + 8, 2 * channels + 8}}, {joint, joint, joint}, {}};
        expectConforms(fmt::format("joint, head {}", headSize), node);
    }
}

TEST_F(AttentionCuda, ScaleOfItsOwn) {
    NodeCase node = selfAttention(1, 33, 2, 8);
    for (const float scale : {1.0f, 0.03f, -0.2f}) {
        std::get<Attention>(node.op).scale = scale;
        expectConforms(fmt::format("scale {}", scale), node);
    }
    NodeCase wide = selfAttention(1, 33, 1, 192);
    std::get<Attention>(wide.op).scale = 0.05f;
    expectConforms("wide head", wide);
}

TEST_F(AttentionCuda, LargeScoresNeitherOverflowNorVanish) {
    // A score of 500 in f32 is known to 3e-5 only, and its exponential no better.
    constexpr double kRoundedScores = 3e-4;
    for (const int headSize : {32, 192}) {
        const Shape shape{1, 450, headSize};
        // Far below zero everywhere: padding keys, whose score is 0, must not win.
        TestTensor q = randomTensor(shape, 1, 3.0f, 5.0f), k = randomTensor(shape, 2, -5.0f, -3.0f);
        const Attention op{1, headSize, 0.0f, {}};
        expectConforms("scores far below zero", {op, {q, k, normalTensor(shape, 3)}, {}}, kRoundedScores);
        // Later tiles have far higher scores than earlier ones, and the reverse.
        for (const bool rises : {false, true}) {
            for (std::size_t i = 0; i < k.values.size(); ++i) {
                const bool late = i > k.values.size() / 2;
                k.values[i] = (late == rises ? 20.0f : -20.0f) + 0.01f * static_cast<float>(i % 7);
            }
            expectConforms(rises ? "rising" : "falling", {op, {q, k, normalTensor(shape, 3)}, {}}, 3e-3);
        }
    }
}

TEST_F(AttentionCuda, ScoresThatRiseStepByStep) {
    // Below and above what the sums take before they are brought down.
    for (const float step : {0.002f, 0.02f, 0.2f}) {
        const Shape shape{2, 300, 40};
        TestTensor q = randomTensor(shape, 1, 0.5f, 1.0f), k = randomTensor(shape, 2);
        for (std::size_t i = 0; i < k.values.size(); ++i) k.values[i] += step * static_cast<float>(i / 40 % 300);
        expectConforms(fmt::format("step {}", step), {Attention{1, 40, 0.0f, {}}, {q, k, normalTensor(shape, 3)}, {}},
                       3e-4);
    }
}

TEST_F(AttentionCuda, CausalQueriesSeeNoLaterKeys) {
    for (const std::int64_t tokens : {1, 2, 7, 16, 33, 77, 128, 385})
        for (const int headSize : {12, 32, 40, 64, 160, 192})
            expectConforms(fmt::format("{} tokens, head {}", tokens, headSize),
                           causalAttention(2, tokens, 2, headSize));
}

TEST_F(AttentionCuda, HiddenKeysCountForNothingHoweverHighTheirScores) {
    const Shape shape{1, 77, 16};
    TestTensor q = randomTensor(shape, 1, 1.0f, 2.0f), k = randomTensor(shape, 2);
    // Every later key scores far higher than those before it.
    for (std::size_t i = 0; i < k.values.size(); ++i) k.values[i] += static_cast<float>(i / 16) * 8.0f;
    NodeCase node{Attention{1, 16, 0.0f, {}}, {q, k, normalTensor(shape, 3)}, {}};
    std::get<Attention>(node.op).causal = true;
    expectConforms("rising", node, 3e-3);
}

}  // namespace
}  // namespace reelbrush::kernels
