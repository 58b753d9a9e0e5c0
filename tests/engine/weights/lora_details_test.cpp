#include "engine/weights/lora_details.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelbrush::weights {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(LoraDetails, ReadsWhatTrainersWrite) {
    const LoraDetails details = loraDetails({{"modelspec.title", " Ink \n wash "},
                                             {"ss_output_name", "ink"},
                                             {"ss_base_model_version", "sdxl_base_v1-0"},
                                             {"modelspec.trigger_phrase", "ink wash, paper,, ink wash , 墨"},
                                             {"ss_tag_frequency", R"({"10_ink": {"tree": 3, "river": 9},
                                                                      "5_more": {"tree": 8, "boat": 1}})"},
                                             {"ss_network_dim", "64"},
                                             {"ss_network_alpha", "32.0"}});
    EXPECT_EQ(details.title, "Ink   wash");
    EXPECT_EQ(details.baseModel, "SDXL");
    EXPECT_THAT(details.triggerWords, ElementsAre("ink wash", "paper", "墨"));
    EXPECT_THAT(details.commonTags, ElementsAre("tree", "river", "boat"));
    EXPECT_EQ(details.rank, 64);
    EXPECT_EQ(details.alpha, 32);
    EXPECT_EQ(loraDetails({{"ss_output_name", "ink"}}).title, "ink");
}

TEST(LoraDetails, LeavesOutWhatItCannotUnderstand) {
    const LoraDetails none = loraDetails({});
    EXPECT_EQ(none.title, "");
    EXPECT_THAT(none.triggerWords, IsEmpty());
    EXPECT_EQ(none.rank, std::nullopt);
    for (const char* tags : {"", "[]", "{", "3", R"({"a": 3})", R"({"a": {"b": "c"}})"})
        EXPECT_THAT(loraDetails({{"ss_tag_frequency", tags}}).commonTags, IsEmpty()) << tags;
    for (const char* number : {"", "None", "Dynamic", "nan", "4 "}) {
        const auto rank = loraDetails({{"ss_network_dim", number}}).rank;
        EXPECT_EQ(rank.has_value(), std::string_view(number) == "4 ") << number;
    }
}

TEST(LoraDetails, KeepsHostileTextsShortAndPlain) {
    std::string many, tags = "{\"x\": {";
    for (int i = 0; i < 1000; ++i) {
        many += "word" + std::to_string(i) + ",";
        tags += "\"tag" + std::to_string(i) + "\": 1,";
    }
    tags.back() = '}';
    const LoraDetails details =
        loraDetails({{"modelspec.title", "\x1b[31m" + std::string(150, 'a') + std::string(100, '\x80')},
                     {"modelspec.trigger_phrase", many},
                     {"ss_tag_frequency", tags + "}"}});
    EXPECT_EQ(details.title.find('\x1b'), std::string::npos);
    EXPECT_LE(details.title.size(), 200u);
    EXPECT_THAT(details.triggerWords, SizeIs(50));
    EXPECT_THAT(details.commonTags, SizeIs(12));
}

}  // namespace

}  // namespace reelbrush::weights
