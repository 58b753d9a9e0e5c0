#include "engine/diffusion/text/prompt_words.h"

#include "tests/support/safetensors_writer.h"
#include "tests/support/test_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelbrush::diffusion {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const ClipTokenizer& tokenizer() {
    static const auto kTokenizer = ClipTokenizer::open(REELBRUSH_SOURCE_DIR "/resources/tokenizer").value();
    return *kTokenizer;
}

class PromptWordsTest : public ::testing::Test {
  protected:
    PromptWordsTest() {
        using testing::SafetensorsWriter;
        SafetensorsWriter().addZeros("emb_params", {2, 16}).write(scratch_.path() / "inkwash.safetensors");
        SafetensorsWriter().addZeros("emb_params", {3, 16}).write(scratch_.path() / "inkwash night.safetensors");
        SafetensorsWriter().addZeros("emb_params", {1, 768}).write(scratch_.path() / "toowide.safetensors");
        library_ = EmbeddingLibrary::scan({scratch_.path()});
    }

    /// Lengths of the words, those of embeddings negative.
    static std::vector<int> lengthsOf(PromptWords& words, std::string_view text) {
        std::vector<int> lengths;
        for (const PromptWord& word : words.read(text)) lengths.push_back(word.embedding ? -word.length() : 1);
        return lengths;
    }

    testing::ScratchFolder scratch_;
    EmbeddingLibrary library_;
};

TEST_F(PromptWordsTest, BareWordsBecomeTheirVectorsTheLongestFirst) {
    PromptWords words(tokenizer(), &library_, {16});
    EXPECT_THAT(lengthsOf(words, "a Inkwash cat"), ElementsAre(1, -2, 1));
    EXPECT_THAT(lengthsOf(words, "inkwash night, inkwash"), ElementsAre(-3, 1, -2));
    EXPECT_THAT(lengthsOf(words, "a cat"), ElementsAre(1, 1));
    EXPECT_THAT(words.takeNotes(), IsEmpty());
}

TEST_F(PromptWordsTest, ThePrefixIsTakenToo) {
    PromptWords words(tokenizer(), &library_, {16});
    EXPECT_THAT(lengthsOf(words, "a embedding:inkwash cat"), ElementsAre(1, -2, 1));
    EXPECT_THAT(lengthsOf(words, "Embedding:INKWASH.safetensors, cat"), ElementsAre(-2, 1, 1));
    EXPECT_THAT(lengthsOf(words, "embedding:inkwash.embedding:inkwash"), ElementsAre(-2, 1, -2));
    EXPECT_THAT(words.takeNotes(), IsEmpty());
}

TEST_F(PromptWordsTest, WhatCannotBeUsedIsToldOnce) {
    PromptWords words(tokenizer(), &library_, {16});
    const auto asText = tokenizer().encode("toowide");
    EXPECT_EQ(lengthsOf(words, "toowide"), std::vector<int>(asText.size(), 1));
    EXPECT_EQ(lengthsOf(words, "embedding:toowide"), std::vector<int>{});
    EXPECT_THAT(words.takeNotes(), ElementsAre(HasSubstr("'toowide' is not used: its vectors are 768 wide (made for "
                                                         "SD 1.5)")));
    EXPECT_THAT(lengthsOf(words, "a embedding:nobody, cat"), ElementsAre(1, 1, 1));
    EXPECT_THAT(words.takeNotes(), ElementsAre(HasSubstr("no embedding 'nobody'")));
    EXPECT_THAT(words.takeNotes(), IsEmpty());
}

TEST_F(PromptWordsTest, WithoutFoldersOnlyThePrefixIsSpecial) {
    PromptWords words(tokenizer(), nullptr, {16});
    EXPECT_EQ(words.read("inkwash").size(), tokenizer().encode("inkwash").size());
    EXPECT_THAT(words.read("embedding:inkwash"), IsEmpty());
    EXPECT_THAT(words.takeNotes(), SizeIs(1));
}

TEST_F(PromptWordsTest, AFolderThatCannotBeReadIsEmpty) {
    EXPECT_THAT(EmbeddingLibrary::scan({scratch_.path() / "inkwash.safetensors"}).words(), IsEmpty());
}

}  // namespace
}  // namespace reelbrush::diffusion
