#include "engine/diffusion/text/clip_tokenizer.h"

#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace reelbrush::diffusion {
namespace {

const ClipTokenizer& bundledTokenizer() {
    static const auto kTokenizer = ClipTokenizer::open(REELBRUSH_SOURCE_DIR "/resources/tokenizer").value();
    return *kTokenizer;
}

TEST(ClipTokenizer, GivesTheReferencesTokens) {
    std::ifstream file(testing::fixturesFolder() / "tokenizer" / "cases.json");
    const auto cases = nlohmann::json::parse(file).at("cases");
    ASSERT_GE(cases.size(), 20u);
    for (const auto& example : cases)
        EXPECT_EQ(bundledTokenizer().encode(example.at("text").get<std::string>()),
                  example.at("ids").get<std::vector<int>>())
            << example.at("text");
}

TEST(ClipTokenizer, WhitespaceAloneIsNoToken) {
    EXPECT_TRUE(bundledTokenizer().encode("").empty());
    EXPECT_TRUE(bundledTokenizer().encode(" \t\r\n\u3000\u2028 &nbsp;").empty());
}

TEST(ClipTokenizer, ContractionsAreWordsOfTheirOwn) {
    const auto& tokenizer = bundledTokenizer();
    EXPECT_EQ(tokenizer.encode("they're").size(), 2u);
    EXPECT_EQ(tokenizer.encode("a'remote"), tokenizer.encode("a 're mote"));
    EXPECT_EQ(tokenizer.encode("a'zoo"), tokenizer.encode("a ' zoo"));
}

TEST(ClipTokenizer, BytesThatAreNotUtf8CountAsTheReplacementCharacter) {
    const auto& tokenizer = bundledTokenizer();
    EXPECT_EQ(tokenizer.encode("a \xff\xc3 b"), tokenizer.encode("a \uFFFD\uFFFD b"));
    EXPECT_EQ(tokenizer.encode("\xed\xa0\x80").size(), tokenizer.encode("\uFFFD\uFFFD\uFFFD").size());
    EXPECT_EQ(tokenizer.encode(std::string("a\0b", 3)).size(), 3u);
}

TEST(ClipTokenizer, AMissingOrDamagedTableIsNamed) {
    const testing::ScratchFolder scratch;
    const auto missing = ClipTokenizer::open(scratch.path());
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().message.find("clip_bpe_merges.txt.zst"), std::string::npos) << missing.error().message;

    const std::filesystem::path bundled = REELBRUSH_SOURCE_DIR "/resources/tokenizer";
    for (const char* name : {"clip_bpe_merges.txt.zst", "html_entities.txt.zst"})
        std::filesystem::copy_file(bundled / name, scratch.path() / name);
    ASSERT_TRUE(ClipTokenizer::open(scratch.path()));
    const auto merges = scratch.path() / "clip_bpe_merges.txt.zst";
    std::filesystem::permissions(merges, std::filesystem::perms::owner_all);
    std::filesystem::resize_file(merges, std::filesystem::file_size(merges) / 2);
    const auto cut = ClipTokenizer::open(scratch.path());
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().code, StatusCode::BadInput);
}

TEST(BytePairEncoder, RefusesMergesOfUnknownSymbolsAndRepeatedOnes) {
    EXPECT_TRUE(BytePairEncoder::fromMerges("a b\nab c</w>\n"));
    EXPECT_FALSE(BytePairEncoder::fromMerges("a b\nxyz c\n"));
    EXPECT_FALSE(BytePairEncoder::fromMerges("a b\na b\n"));
    EXPECT_FALSE(BytePairEncoder::fromMerges("a b\n\n"));
}

TEST(BytePairEncoder, MergesTheBestPairFirstWhereverItStands) {
    const auto encoder = BytePairEncoder::fromMerges("b c\na b\nbc d</w>\n");
    ASSERT_TRUE(encoder);
    std::vector<int> tokens;
    encoder->appendWord("abcd", tokens);  // "b c" goes before "a b"
    EXPECT_EQ(tokens, (std::vector<int>{'a' - '!', 512 + 2}));
}

}  // namespace
}  // namespace reelbrush::diffusion
