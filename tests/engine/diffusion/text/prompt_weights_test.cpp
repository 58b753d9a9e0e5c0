#include "engine/diffusion/text/prompt_weights.h"

#include <gtest/gtest.h>

#include <cmath>

namespace reelbrush::diffusion {
namespace {

void expectPieces(std::string_view prompt, const std::vector<std::pair<std::string, double>>& expected) {
    SCOPED_TRACE(prompt);
    const auto pieces = readPromptWeights(prompt);
    ASSERT_EQ(pieces.size(), expected.size());
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        EXPECT_EQ(pieces[i].text, expected[i].first);
        EXPECT_DOUBLE_EQ(pieces[i].weight, expected[i].second) << pieces[i].text;
        EXPECT_FALSE(pieces[i].startsChunk);
    }
}

TEST(PromptWeights, BracketsWeighAndNest) {
    expectPieces("", {{"", 1}});
    expectPieces("an (important) word", {{"an ", 1}, {"important", 1.1}, {" word", 1}});
    expectPieces("[less] [[least]]", {{"less", 1 / 1.1}, {" ", 1}, {"least", 1 / 1.1 / 1.1}});
    expectPieces("(a:1.5)(b: 0.25 )(c:+2)(d:-1)", {{"a", 1.5}, {"b", 0.25}, {"c", 2}, {"d", -1}});
    expectPieces("a (((house:1.3)) [on] a (hill:0.5), sun, (((sky))).", {{"a ", 1},
                                                                         {"house", 1.3 * 1.1 * 1.1},
                                                                         {" ", 1.1},
                                                                         {"on", 1},
                                                                         {" a ", 1.1},
                                                                         {"hill", 0.55},
                                                                         {", sun, ", 1.1},
                                                                         {"sky", 1.1 * 1.1 * 1.1 * 1.1},
                                                                         {".", 1.1}});
}

TEST(PromptWeights, NeighboursOfOneWeightAreOnePiece) {
    expectPieces("(unnecessary)(parens)", {{"unnecessaryparens", 1.1}});
    expectPieces("plain: text, 16:9", {{"plain: text, 16:9", 1}});
}

TEST(PromptWeights, UnmatchedBracketsCountToTheEndOrAreText) {
    expectPieces("a (b [c", {{"a ", 1}, {"b ", 1.1}, {"c", 1.1 / 1.1}});
    expectPieces("a) b] c:1.2)", {{"a) b] c:1.2)", 1}});
    expectPieces("[a:1.2)]", {{"a:1.2)", 1 / 1.1}});
}

TEST(PromptWeights, BackslashesMakeMarksLiteral) {
    expectPieces("\\(literal\\] \\\\", {{"(literal] \\", 1}});
    expectPieces("(cosplay \\(dress\\):1.3)", {{"cosplay (dress)", 1.3}});
    expectPieces("a\\b", {{"ab", 1}});
}

TEST(PromptWeights, WhatIsNoNumberIsText) {
    expectPieces("(a:b)", {{"a:b", 1.1}});
    expectPieces("(a:1.2.3)", {{"a:1.2.3", 1.1}});
    expectPieces("(a:.)(a:inf)(a:nan)(a:1e9)", {{"a:.a:infa:nana:1e9", 1.1}});
    expectPieces("(a:", {{"a:", 1.1}});
}

TEST(PromptWeights, WeightsStayFinite) {
    expectPieces("(a:99999999999999999999999999)", {{"a", kLargestPromptWeight}});
    const auto deep = readPromptWeights(std::string(5000, '(') + "a");
    EXPECT_EQ(deep.back().weight, kLargestPromptWeight);
    for (const auto& piece : readPromptWeights("((((a:99):99):-99):-99)")) EXPECT_TRUE(std::isfinite(piece.weight));
}

TEST(PromptWeights, BreakStartsAChunkWhereItIsAWord) {
    const auto pieces = readPromptWeights("a cat BREAK\n a (dog BREAK bird) BREAKFAST xBREAK break");
    ASSERT_EQ(pieces.size(), 5u);
    EXPECT_EQ(pieces[0].text, "a cat");
    EXPECT_EQ(pieces[1].text, "a ");
    EXPECT_TRUE(pieces[1].startsChunk);
    EXPECT_EQ(pieces[2].text, "dog");
    EXPECT_FALSE(pieces[2].startsChunk);
    EXPECT_EQ(pieces[3].text, "bird");
    EXPECT_TRUE(pieces[3].startsChunk);
    EXPECT_DOUBLE_EQ(pieces[3].weight, 1.1);
    EXPECT_EQ(pieces[4].text, " BREAKFAST xBREAK break");
}

TEST(PromptWeights, BreaksAloneGiveEmptyChunks) {
    const auto pieces = readPromptWeights("BREAK BREAK");
    ASSERT_EQ(pieces.size(), 3u);
    EXPECT_FALSE(pieces[0].startsChunk);
    EXPECT_TRUE(pieces[1].startsChunk && pieces[2].startsChunk);
}

}  // namespace
}  // namespace reelbrush::diffusion
