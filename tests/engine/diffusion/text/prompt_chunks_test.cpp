#include "engine/diffusion/text/prompt_chunks.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace reelbrush::diffusion {
namespace {

constexpr int kComma = 267;

/// `count` words without a comma, tokens 1, 2, ...
WeightedWords plainWords(int count, int firstToken = 1) {
    WeightedWords piece;
    for (int i = 0; i < count; ++i) piece.words.push_back({firstToken + i, nullptr});
    return piece;
}

std::vector<std::size_t> sizesOf(const std::vector<PromptChunk>& chunks) {
    std::vector<std::size_t> sizes;
    for (const PromptChunk& chunk : chunks) sizes.push_back(chunk.size());
    return sizes;
}

using Sizes = std::vector<std::size_t>;

TEST(PromptChunks, SeventyFiveTokensEach) {
    EXPECT_EQ(sizesOf(cutIntoChunks({}, kComma, 20)), Sizes{0});
    EXPECT_EQ(sizesOf(cutIntoChunks({plainWords(75)}, kComma, 20)), Sizes{75});
    EXPECT_EQ(sizesOf(cutIntoChunks({plainWords(76)}, kComma, 20)), (Sizes{75, 1}));
    EXPECT_EQ(sizesOf(cutIntoChunks({plainWords(40), plainWords(120)}, kComma, 20)), (Sizes{75, 75, 10}));
}

TEST(PromptChunks, WeightsGoWithTheirTokens) {
    WeightedWords heavy = plainWords(40, 100);
    heavy.weight = 1.5;
    const auto chunks = cutIntoChunks({plainWords(70), heavy}, kComma, 20);
    ASSERT_EQ(sizesOf(chunks), (Sizes{75, 35}));
    EXPECT_EQ(chunks[0][69].weight, 1.0);
    EXPECT_EQ(chunks[0][70].weight, 1.5);
    EXPECT_EQ(chunks[1][0].token, 105);
}

TEST(PromptChunks, BreakClosesAChunkHoweverFull) {
    WeightedWords next = plainWords(3);
    next.startsChunk = true;
    EXPECT_EQ(sizesOf(cutIntoChunks({plainWords(10), next}, kComma, 20)), (Sizes{10, 3}));
    EXPECT_EQ(sizesOf(cutIntoChunks({{}, next}, kComma, 20)), (Sizes{0, 3}));
}

TEST(PromptChunks, WhatFollowsALateCommaMovesOn) {
    WeightedWords piece = plainWords(80);
    piece.words[59].token = kComma;  // 15 tokens follow in the first chunk
    const auto moved = cutIntoChunks({piece}, kComma, 20);
    ASSERT_EQ(sizesOf(moved), (Sizes{60, 20}));
    EXPECT_EQ(moved[0].back().token, kComma);
    EXPECT_EQ(moved[1].front().token, 61);
    EXPECT_EQ(sizesOf(cutIntoChunks({piece}, kComma, 0)), (Sizes{75, 5}));
    EXPECT_EQ(sizesOf(cutIntoChunks({piece}, kComma, 15)), (Sizes{75, 5}));
    EXPECT_EQ(sizesOf(cutIntoChunks({piece}, kComma, 16)), (Sizes{60, 20}));
    // A prompt that just fits is left alone; a comma as the next token begins the next chunk.
    piece.words.resize(75);
    EXPECT_EQ(sizesOf(cutIntoChunks({piece}, kComma, 20)), Sizes{75});
    piece.words.push_back({kComma, nullptr});
    EXPECT_EQ(sizesOf(cutIntoChunks({piece}, kComma, 20)), (Sizes{75, 1}));
}

TEST(PromptChunks, VectorsOfOneEmbeddingStayTogether) {
    const auto embedding = std::make_shared<TextEmbedding>();
    embedding->vectors = 8;
    WeightedWords piece = plainWords(70);
    piece.words.push_back({0, embedding});
    piece.words.push_back({5, nullptr});
    const auto chunks = cutIntoChunks({piece}, kComma, 20);
    ASSERT_EQ(sizesOf(chunks), (Sizes{70, 9}));
    EXPECT_EQ(chunks[1][7].vector, 7);
    EXPECT_EQ(chunks[1][7].embedding, embedding);
    EXPECT_EQ(chunks[1][8].embedding, nullptr);
}

}  // namespace
}  // namespace reelbrush::diffusion
