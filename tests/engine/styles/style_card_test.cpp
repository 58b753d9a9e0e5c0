#include "engine/styles/style_card.h"

#include "tests/support/test_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace reelbrush::styles {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class StyleCardTest : public ::testing::Test {
  protected:
    StyleCardTest() {
        for (const char* folder : {"styles/pictures", "models", "far/away"}) fs::create_directories(root() / folder);
        for (const char* name : {"styles/pictures/wave 浪🌊.jpg", "models/ink.safetensors", "far/away/sky.png"})
            std::ofstream(root() / name) << "content is not looked at";
    }

    fs::path root() const { return scratch_.path(); }
    fs::path cardFile() const { return root() / "styles" / "card.json"; }
    Result<StyleCard> parse(std::string_view text) const { return parseStyleCard(text, cardFile()); }

    /// Expects BadInput that names the file and `field`, and says `what`.
    void expectRefused(std::string_view text, const std::string& field, const std::string& what) const {
        const auto card = parse(text);
        ASSERT_FALSE(card) << text;
        EXPECT_EQ(card.error().code, StatusCode::BadInput);
        EXPECT_THAT(card.error().message, HasSubstr(cardFile().string()));
        EXPECT_THAT(card.error().message, HasSubstr("'" + field + "'"));
        EXPECT_THAT(card.error().message, HasSubstr(what));
    }

  private:
    testing::ScratchFolder scratch_;
};

constexpr const char* kFull = R"({
    "version": 1, "name": "ink", "title": {"en": "Ink", "zh": "水墨"}, "baseModel": "other",
    "loras": [{"file": "../models/ink.safetensors", "strength": 0.75}],
    "prompt": "a brush drawing", "negativePrompt": "photo",
    "pictures": ["pictures/wave 浪🌊.jpg"], "structure": 0.6, "keepColours": true, "steps": 6, "guidance": 1.5,
    "sampler": "ddim", "seed": 18446744073709551615, "thumbnail": "thumbnails/ink.jpg",
    "licence": "CC0-1.0", "author": "Somebody", "attribution": "after Somebody Else", "tags": ["ink", "black"],
    "mood": {"calm": [1, 2]}})";

void expectSameContent(const StyleCard& one, const StyleCard& other) {
    EXPECT_EQ(one.name, other.name);
    EXPECT_EQ(one.title.en, other.title.en);
    EXPECT_EQ(one.title.zh, other.title.zh);
    EXPECT_EQ(one.baseModel, other.baseModel);
    ASSERT_EQ(one.loras.size(), other.loras.size());
    for (std::size_t i = 0; i < one.loras.size(); ++i) {
        EXPECT_EQ(one.loras[i].file, other.loras[i].file);
        EXPECT_EQ(one.loras[i].strength, other.loras[i].strength);
        EXPECT_EQ(one.loras[i].name, other.loras[i].name);
        EXPECT_EQ(one.loras[i].textStrength, other.loras[i].textStrength);
        EXPECT_EQ(one.loras[i].blocks, other.loras[i].blocks);
    }
    EXPECT_EQ(one.prompt, other.prompt);
    EXPECT_EQ(one.negativePrompt, other.negativePrompt);
    EXPECT_EQ(one.pictures, other.pictures);
    EXPECT_EQ(one.structure, other.structure);
    EXPECT_EQ(one.keepColours, other.keepColours);
    EXPECT_EQ(one.steps, other.steps);
    EXPECT_EQ(one.guidance, other.guidance);
    EXPECT_EQ(one.sampler, other.sampler);
    EXPECT_EQ(one.seed, other.seed);
    EXPECT_EQ(one.conditioning, other.conditioning);
    EXPECT_EQ(one.thumbnail, other.thumbnail);
    EXPECT_EQ(one.licence, other.licence);
    EXPECT_EQ(one.author, other.author);
    EXPECT_EQ(one.attribution, other.attribution);
    EXPECT_EQ(one.tags, other.tags);
    EXPECT_EQ(one.unknownFields, other.unknownFields);
}

TEST_F(StyleCardTest, ReadsEveryField) {
    const auto card = parse(kFull);
    ASSERT_TRUE(card) << card.error().message;
    EXPECT_EQ(card->name, "ink");
    EXPECT_EQ(card->title.zh, "水墨");
    EXPECT_EQ(card->baseModel, "other");
    ASSERT_EQ(card->loras.size(), 1U);
    EXPECT_EQ(card->loras[0].file, root() / "models/ink.safetensors");
    EXPECT_EQ(card->loras[0].strength, 0.75);
    ASSERT_EQ(card->pictures.size(), 1U);
    EXPECT_EQ(card->pictures[0], root() / "styles/pictures/wave 浪🌊.jpg");
    EXPECT_EQ(card->structure, 0.6);
    EXPECT_DOUBLE_EQ(card->freedom(), 0.4);
    EXPECT_TRUE(card->keepColours);
    EXPECT_EQ(card->steps, 6);
    EXPECT_EQ(card->guidance, 1.5);
    EXPECT_EQ(card->seed, 18446744073709551615U);
    EXPECT_EQ(card->thumbnail, root() / "styles/thumbnails/ink.jpg");
    EXPECT_EQ(card->tags, (std::vector<std::string>{"ink", "black"}));
    EXPECT_EQ(card->unknownFields.size(), 1U);
    EXPECT_TRUE(card->unknownFields.contains("mood"));
}

TEST_F(StyleCardTest, MissingFieldsTakeTheDefaults) {
    const auto card = parse(R"({"version": 1, "name": "short", "prompt": "oil"})");
    ASSERT_TRUE(card) << card.error().message;
    EXPECT_EQ(card->title.en, "short");
    EXPECT_EQ(card->baseModel, "starter");
    EXPECT_EQ(card->structure, 0.4);
    EXPECT_DOUBLE_EQ(card->freedom(), 0.6);
    EXPECT_FALSE(card->keepColours);
    EXPECT_EQ(card->steps, 8);
    EXPECT_EQ(card->guidance, 2.0);
    EXPECT_EQ(card->sampler, "auto");
    EXPECT_EQ(card->conditioning, StyleConditioning{});
    EXPECT_TRUE(card->thumbnail.empty());
    EXPECT_TRUE(card->unknownFields.empty());
}

TEST_F(StyleCardTest, ComesBackAsWritten) {
    auto card = parse(kFull);
    ASSERT_TRUE(card);
    card->pictures.push_back(root() / "far/away/sky.png");
    const Status written = writeStyleCard(*card, cardFile());
    ASSERT_TRUE(written) << written.error().message;
    const auto again = readStyleCard(cardFile());
    ASSERT_TRUE(again) << again.error().message;
    expectSameContent(*again, *card);
    EXPECT_FALSE(fs::exists(cardFile().string() + ".part"));
}

TEST_F(StyleCardTest, ACardMovesTogetherWithItsFolders) {
    const auto card = parse(kFull);
    ASSERT_TRUE(card);
    ASSERT_TRUE(writeStyleCard(*card, cardFile()));
    const testing::ScratchFolder elsewhere;
    fs::copy(root(), elsewhere.path(), fs::copy_options::recursive);
    const auto moved = readStyleCard(elsewhere.path() / "styles/card.json");
    ASSERT_TRUE(moved) << moved.error().message;
    EXPECT_EQ(moved->loras[0].file, elsewhere.path() / "models/ink.safetensors");
    EXPECT_EQ(moved->pictures[0].parent_path(), elsewhere.path() / "styles/pictures");
}

TEST_F(StyleCardTest, FarFilesAreWrittenAsAbsolutePaths) {
    StyleCard card;
    card.name = "far";
    card.pictures = {root() / "far/away/sky.png"};
    fs::create_directories(root() / "deep/er/styles");
    const fs::path file = root() / "deep/er/styles/far.json";
    ASSERT_TRUE(writeStyleCard(card, file));
    std::ifstream stream(file);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    EXPECT_THAT(text, HasSubstr("\"" + (root() / "far/away/sky.png").string() + "\""));
}

TEST_F(StyleCardTest, RefusalsNameTheFileAndTheField) {
    expectRefused(R"({"name": "x", "prompt": "y"})", "version", "missing");
    expectRefused(R"({"version": "1", "name": "x", "prompt": "y"})", "version", "got \"1\"");
    expectRefused(R"({"version": 1, "prompt": "y"})", "name", "missing");
    expectRefused(R"({"version": 1, "name": "a/b", "prompt": "y"})", "name", "slash");
    expectRefused(R"({"version": 1, "name": 7, "prompt": "y"})", "name", "got 7");
    expectRefused(R"({"version": 1, "name": "x", "prompt": "y", "structure": 1.5})", "structure",
                  "from 0 to 1, got 1.5");
    expectRefused(R"({"version": 1, "name": "x", "prompt": "y", "structure": "0.5"})", "structure", "got \"0.5\"");
    expectRefused(R"({"version": 1, "name": "x", "prompt": "y", "steps": 0})", "steps", "from 1 to 1000, got 0");
    expectRefused(R"({"version": 1, "name": "x", "prompt": "y", "steps": 7.5})", "steps", "whole number");
    expectRefused(R"({"version": 1, "name": "x", "prompt": "y", "guidance": -1})", "guidance", "got -1");
    expectRefused(R"({"version": 1, "name": "x", "prompt": "y", "seed": -1})", "seed", "got -1");
    expectRefused(R"({"version": 1, "name": "x", "prompt": "y", "keepColours": 1})", "keepColours", "true or false");
    expectRefused(R"({"version": 1, "name": "x", "prompt": "y", "tags": "z"})", "tags", "list");
    expectRefused(R"({"version": 1, "name": "x", "prompt": "y", "tags": ["z", 1]})", "tags[1]", "got 1");
    expectRefused(R"({"version": 1, "name": "x", "prompt": "y", "title": []})", "title", "an array of 0");
    expectRefused(R"({"version": 1, "name": "x", "prompt": "y", "title": {"zh": 1}})", "title.zh", "got 1");
    expectRefused(R"({"version": 1, "name": "x"})", "pictures", "no style");
}

constexpr const char* kConditioned = R"({
    "version": 1, "name": "film", "baseModel": "dreamshaper_8", "prompt": "oil painting", "sampler": "dpm++ 2m karras",
    "loras": [{"name": "oil", "strength": 0.75, "textStrength": 0.5, "blocks": "IN04=0.25,MID=0"}],
    "vae": "../models/ink.safetensors",
    "controls": [{"model": "control_canny", "preprocessor": "canny", "strength": 0.8, "end": 0.6},
                 {"model": "control_tile"}],
    "ipAdapter": {"model": "ip-adapter-plus", "imageEncoder": "vit-h", "strength": 0.6, "styleOnly": true},
    "motion": {"model": "v3_sd15_mm", "frames": 24, "overlap": 6},
    "styleInjection": {"queryBlend": 0.5, "temperature": 1.2},
    "promptWeights": "comfyui", "noise": "cuda", "clipSkip": 2, "guidanceFalloff": 0.5, "guidanceRescale": 0.7,
    "imageGuidance": 1.2})";

TEST_F(StyleCardTest, SaysWhatAFullModelIsGiven) {
    const auto card = parse(kConditioned);
    ASSERT_TRUE(card) << card.error().message;
    EXPECT_EQ(card->loras[0].name, "oil");
    EXPECT_EQ(card->loras[0].textStrength, 0.5);
    EXPECT_EQ(card->loras[0].blocks, "IN04=0.25,MID=0");
    const StyleConditioning& c = card->conditioning;
    EXPECT_EQ(c.vae, (root() / "models/ink.safetensors").string()) << "a file beside the card";
    ASSERT_EQ(c.controls.size(), 2U);
    EXPECT_EQ(c.controls[0], (StyleControl{"control_canny", "canny", 0.8, 0.0, 0.6}));
    EXPECT_EQ(c.controls[1], (StyleControl{"control_tile", "auto", 1.0, 0.0, 1.0}));
    EXPECT_EQ(c.ipAdapter, (StyleIpAdapter{"ip-adapter-plus", "vit-h", 0.6, true}));
    EXPECT_EQ(c.motion, (StyleMotion{"v3_sd15_mm", 24, 6}));
    EXPECT_EQ(c.injection, (StyleInjection{0.5, 1.2}));
    EXPECT_TRUE(c.comfyPromptWeights);
    EXPECT_TRUE(c.cudaNoise);
    EXPECT_EQ(c.clipSkip, 2);
    EXPECT_EQ(c.guidanceFalloff, 0.5);
    EXPECT_EQ(c.guidanceRescale, 0.7);
    EXPECT_EQ(c.imageGuidance, 1.2);

    const fs::path copy = root() / "styles/copy.json";
    ASSERT_TRUE(writeStyleCard(*card, copy));
    const auto again = readStyleCard(copy);
    ASSERT_TRUE(again) << again.error().message;
    expectSameContent(*card, *again);
    EXPECT_TRUE(again->unknownFields.empty());
}

TEST_F(StyleCardTest, RefusesSenselessConditioning) {
    const std::string head = R"({"version": 1, "name": "x", "prompt": "y", )";
    expectRefused(head + R"("controls": [{"preprocessor": "canny"}]})", "controls[0].model", "missing");
    expectRefused(head + R"("controls": [{"model": "a", "weight": 1}]})", "controls[0].weight", "not known");
    expectRefused(head + R"("controls": [{"model": "a", "end": 2}]})", "controls[0].end", "from 0 to 1, got 2");
    expectRefused(head + R"("ipAdapter": {"model": "a"}})", "ipAdapter.imageEncoder", "missing");
    expectRefused(head + R"("motion": {"model": "a", "frames": 8, "overlap": 8}})", "motion.overlap", "less");
    expectRefused(head + R"("noise": "gpu"})", "noise", "'cpu' or 'cuda'");
    expectRefused(head + R"("clipSkip": 1.5})", "clipSkip", "whole number");
    expectRefused(head + R"("loras": [{"name": "a", "blocks": {"IN04": 1}}]})", "loras[0].blocks", "got");
}

TEST_F(StyleCardTest, RefusesFilesThatAreNotThere) {
    expectRefused(R"({"version": 1, "name": "x", "pictures": ["none.jpg"]})", "pictures[0]",
                  (root() / "styles/none.jpg").string());
    expectRefused(R"({"version": 1, "name": "x", "pictures": [""]})", "pictures[0]", "no file");
    expectRefused(R"({"version": 1, "name": "x", "pictures": ["../models"]})", "pictures[0]", "no file");
    expectRefused(R"({"version": 1, "name": "x", "loras": [{"file": "a"}]})", "loras[0].file", "no file");
    expectRefused(R"({"version": 1, "name": "x", "loras": [{}]})", "loras[0].file", "no file");
    expectRefused(R"({"version": 1, "name": "x", "loras": ["a"]})", "loras[0]", "got \"a\"");
    expectRefused(R"({"version": 1, "name": "x", "loras": [{"file": "../models/ink.safetensors", "strenght": 1}]})",
                  "loras[0].strenght", "not known");
    expectRefused(R"({"version": 1, "name": "x", "loras": [{"file": "../models/ink.safetensors", "strength": 11}]})",
                  "loras[0].strength", "from -10 to 10, got 11");
}

TEST_F(StyleCardTest, RefusesTextThatIsNoCard) {
    const std::string deep = R"({"version": 1, "name": "x", "prompt": "y", "more": )" + std::string(5000, '[');
    for (const std::string& text : {std::string(), std::string("{"), std::string("[]"), std::string("not a card"),
                                    std::string("{\"a\": \"\xff\"}"), deep, deep + std::string(5000, ']') + "}"}) {
        const auto card = parse(text);
        ASSERT_FALSE(card) << text.substr(0, 40);
        EXPECT_EQ(card.error().code, StatusCode::BadInput);
        EXPECT_THAT(card.error().message, HasSubstr(cardFile().string()));
    }
}

TEST_F(StyleCardTest, ANewerVersionAsksForANewerProgram) {
    const auto card = parse(R"({"version": 2, "name": "x", "style": "unheard of"})");
    ASSERT_FALSE(card);
    EXPECT_EQ(card.error().code, StatusCode::Unsupported);
    EXPECT_THAT(card.error().message, HasSubstr("newer Reelbrush"));
}

TEST_F(StyleCardTest, UnreadableFilesAreRefused) {
    EXPECT_EQ(readStyleCard(root() / "none.json").error().code, StatusCode::Io);
    EXPECT_THAT(readStyleCard(root()).error().message, HasSubstr("folder"));
    std::ofstream(cardFile()) << std::string((1 << 20) + 1, ' ');
    EXPECT_THAT(readStyleCard(cardFile()).error().message, HasSubstr("1048577 bytes"));
}

TEST_F(StyleCardTest, WritingFailsWithASentence) {
    StyleCard card;
    card.name = "x";
    const Status nowhere = writeStyleCard(card, root() / "no such folder" / "x.json");
    EXPECT_EQ(nowhere.error().code, StatusCode::Io);
    EXPECT_THAT(nowhere.error().message, HasSubstr("No such file"));
    card.author = "\xff";
    const Status notUtf8 = writeStyleCard(card, cardFile());
    EXPECT_EQ(notUtf8.error().code, StatusCode::BadInput);
    EXPECT_FALSE(fs::exists(cardFile()));
}

}  // namespace
}  // namespace reelbrush::styles
