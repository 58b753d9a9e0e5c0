// The fuzzers' seeds and what they once found, as an ordinary test.
#include "engine/diffusion/text/clip_tokenizer.h"
#include "engine/diffusion/text/lora_tags.h"
#include "engine/diffusion/text/prompt_chunks.h"
#include "engine/diffusion/text/prompt_weights.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace reelbrush::diffusion {
namespace {

const ClipTokenizer& tokenizer() {
    static const auto kTokenizer = ClipTokenizer::open(REELBRUSH_SOURCE_DIR "/resources/tokenizer").value();
    return *kTokenizer;
}

std::vector<std::string> corpus(const std::string& name) {
    std::vector<std::string> texts;
    const std::filesystem::path folder = REELBRUSH_SOURCE_DIR "/tests/fuzz/corpus/" + name;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream file(entry.path(), std::ios::binary);
        texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return texts;
}

TEST(TextFuzzCorpus, TokensAreThoseOfTheVocabulary) {
    const auto texts = corpus("tokenizer");
    EXPECT_GE(texts.size(), 6u);
    for (const std::string& text : texts) {
        const auto tokens = tokenizer().encode(text);
        EXPECT_FALSE(tokens.empty());
        for (const int token : tokens) EXPECT_TRUE(token >= 0 && token <= ClipTokenizer::kEnd) << text;
        EXPECT_EQ(tokenizer().encode("\n " + text + "\t"), tokens) << text;
    }
}

TEST(TextFuzzCorpus, PromptsLoseNoWord) {
    const auto prompts = corpus("prompt");
    EXPECT_GE(prompts.size(), 4u);
    for (const std::string& prompt : prompts) {
        PromptWords words(tokenizer(), nullptr, {768});
        std::vector<WeightedWords> pieces;
        std::size_t read = 0, placed = 0;
        for (const auto& piece : readPromptWeights(takeLoraTags(prompt).text)) {
            pieces.push_back({words.read(piece.text), piece.weight, piece.startsChunk});
            read += pieces.back().words.size();
        }
        for (const auto& chunk : cutIntoChunks(pieces, 267, 20)) placed += chunk.size();
        EXPECT_GT(read, 0u) << prompt;
        EXPECT_EQ(placed, read) << prompt;
    }
}

}  // namespace
}  // namespace reelbrush::diffusion
