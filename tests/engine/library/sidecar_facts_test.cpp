#include "engine/library/sidecar_facts.h"

#include "tests/engine/library/library_bench.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace reelbrush::library {
namespace {

using namespace reelbrush::testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SidecarFacts : public LibraryBench {};

TEST_F(SidecarFacts, MetadataOfTheModelSpecification) {
    Writer writer = fakeLora();
    writer.setMetadata("modelspec.title", "  Ink\nwash ")
        .setMetadata("modelspec.author", "An Artist")
        .setMetadata("modelspec.license", "CC0-1.0")
        .setMetadata("modelspec.description", "Soft \x1b[31m edges")
        .setMetadata("modelspec.trigger_phrase", "ink wash, sumi");
    put("ink.safetensors", writer);
    const ModelRecord record = recordOf(*refreshed(), "ink");
    EXPECT_EQ(record.title, "Ink wash");
    EXPECT_EQ(record.author, "An Artist");
    EXPECT_EQ(record.licence, "CC0-1.0");
    EXPECT_EQ(record.description, "Soft  [31m edges");
    EXPECT_THAT(record.triggerWords, ElementsAre("ink wash", "sumi"));
    EXPECT_EQ(record.family, "kohya (lora_down, lora_up)");
    EXPECT_EQ(record.rank, 2);
}

TEST_F(SidecarFacts, TagsOfTheTrainingStandInForTriggerWords) {
    Writer writer = fakeLora();
    put("ink.safetensors", writer.setMetadata("ss_tag_frequency", R"({"10_ink": {"tree": 3, "ink": 9}})"));
    EXPECT_THAT(recordOf(*refreshed(), "ink").triggerWords, ElementsAre("ink", "tree"));
}

TEST_F(SidecarFacts, CivitaiHelperAndA1111) {
    put("ink.safetensors", fakeVae());
    put("ink.civitai.info", std::string(R"({
        "baseModel": "Pony", "trainedWords": ["ink wash, sumi", "brush"], "creator": {"username": "painter"},
        "model": {"name": "Ink!", "allowNoCredit": false, "allowCommercialUse": ["Image", "Rent"],
                  "allowDerivatives": false}})"));
    put("ink.json", std::string(R"({"activation text": "other", "sd version": "SD1", "description": "by A1111"})"));
    put("oil.safetensors", fakeVae());
    put("oil.json", std::string(R"({"activation text": "oil paint, thick", "sd version": "SD2"})"));
    const auto library = refreshed();
    const ModelRecord ink = recordOf(*library, "ink");
    EXPECT_EQ(ink.baseModel, "SDXL");
    EXPECT_EQ(ink.title, "Ink!");
    EXPECT_EQ(ink.author, "painter");
    EXPECT_EQ(ink.description, "by A1111");
    EXPECT_EQ(ink.licence, "Civitai: credit needed; commercial use: Image, Rent; no derivatives");
    EXPECT_THAT(ink.triggerWords, ElementsAre("ink wash", "sumi", "brush"));
    const ModelRecord oil = recordOf(*library, "oil");
    EXPECT_EQ(oil.baseModel, "SD 2.x");
    EXPECT_THAT(oil.triggerWords, ElementsAre("oil paint", "thick"));
}

TEST_F(SidecarFacts, WhatTheTensorsSayStays) {
    put("ink.safetensors", fakeLora());
    put("ink.civitai.info", std::string(R"({"baseModel": "SDXL 1.0"})"));
    EXPECT_EQ(recordOf(*refreshed(), "ink").baseModel, "SD 1.5");
}

TEST_F(SidecarFacts, DamagedSidecarsAreNone) {
    const std::vector<std::string> texts{"",
                                         "{",
                                         "[]",
                                         "null",
                                         R"({"trainedWords": 7, "model": [], "baseModel": {}, "files": "x"})",
                                         R"({"trainedWords": [1, null, {"a": 2}], "model": {"name": 5},
                                             "allowCommercialUse": 3, "activation text": []})",
                                         "{\"description\": \"\xff\xfe\"}"};
    for (std::size_t i = 0; i < texts.size(); ++i) {
        put(fmt::format("m{}.safetensors", i), fakeVae());
        put(fmt::format("m{}.civitai.info", i), texts[i]);
        put(fmt::format("m{}.json", i), texts[i]);
    }
    const auto library = refreshed();
    EXPECT_EQ(library->records().size(), texts.size());
    for (const ModelRecord& record : library->records()) {
        EXPECT_EQ(record.problem, "");
        EXPECT_THAT(record.triggerWords, IsEmpty()) << record.name();
        EXPECT_EQ(record.title, "");
    }
}

TEST(ShownText, IsFitToBeShown) {
    EXPECT_EQ(shownText("  a\tb\n", 100), "a b");
    EXPECT_EQ(shownText("水墨", 4), "水") << "cut at a character's border";
    EXPECT_EQ(shownText("a\xff\xfe"
                        "b",
                        100),
              "ab");
    EXPECT_EQ(shownText("", 5), "");
    EXPECT_EQ(shownText("   ", 5), "");
}

}  // namespace
}  // namespace reelbrush::library
