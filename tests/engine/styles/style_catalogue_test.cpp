#include "engine/styles/style_catalogue.h"

#include "tests/support/test_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace reelbrush::styles {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class StyleCatalogueTest : public ::testing::Test {
  protected:
    StyleCatalogueTest() {
        fs::create_directories(bundled());
        fs::create_directories(own());
        put(bundled() / "a.json", R"({"version": 1, "name": "Watercolour", "title": {"en": "Wet paper", "zh": "水彩"},
                                      "prompt": "bundled"})");
        put(bundled() / "b.json", R"({"version": 1, "name": "pixel-art", "prompt": "bundled"})");
        put(bundled() / "broken.json", "{");
        put(bundled() / "readme.txt", "no card");
        put(own() / "c.JSON", R"({"version": 1, "name": "Pixel-Art", "prompt": "own"})");
        put(own() / "picture.jpg", "not opened");
    }

    static void put(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }
    fs::path bundled() const { return scratch_.path() / "bundled"; }
    fs::path own() const { return scratch_.path() / "own"; }
    StyleCatalogue load() const { return StyleCatalogue::load({bundled(), own(), scratch_.path() / "missing"}); }

  private:
    testing::ScratchFolder scratch_;
};

TEST_F(StyleCatalogueTest, ListsCardsByNameAndTellsOfBrokenOnes) {
    const StyleCatalogue catalogue = load();
    ASSERT_EQ(catalogue.cards().size(), 2U);
    EXPECT_EQ(catalogue.cards()[0].prompt, "own") << "the user's card replaces the bundled one of the same name";
    EXPECT_EQ(catalogue.cards()[1].name, "Watercolour");
    ASSERT_EQ(catalogue.problems().size(), 1U);
    EXPECT_EQ(catalogue.problems()[0].file, bundled() / "broken.json");
}

TEST_F(StyleCatalogueTest, FindsByNameAndTitleWhateverTheCase) {
    const StyleCatalogue catalogue = load();
    for (const char* name : {"Watercolour", "WATERCOLOUR", "wet Paper", "水彩"}) {
        const auto card = catalogue.find(name);
        ASSERT_TRUE(card) << card.error().message;
        EXPECT_EQ(card->name, "Watercolour");
    }
}

TEST_F(StyleCatalogueTest, SuggestsWhatWasMeant) {
    const StyleCatalogue catalogue = load();
    EXPECT_THAT(catalogue.find("watercolor").error().message, HasSubstr("did you mean Watercolour?"));
    EXPECT_THAT(catalogue.find("pixl-art").error().message, HasSubstr("did you mean Pixel-Art?"));
    EXPECT_THAT(catalogue.find("pixel").error().message, HasSubstr("did you mean Pixel-Art?"));
    for (const char* text : {"", "zzz", "something else altogether"})
        EXPECT_THAT(catalogue.find(text).error().message, Not(HasSubstr("did you mean"))) << text;
}

TEST_F(StyleCatalogueTest, TellsWhyABrokenCardCannotBeUsed) {
    EXPECT_THAT(load().find("Broken").error().message, HasSubstr("not valid JSON"));
}

TEST_F(StyleCatalogueTest, ResolvesNamesCardsAndPictures) {
    const StyleCatalogue catalogue = load();
    EXPECT_EQ(resolveStyle("pixel-ART", catalogue)->prompt, "own");
    EXPECT_EQ(resolveStyle((bundled() / "b.json").string(), catalogue)->prompt, "bundled");
    const auto picture = resolveStyle((own() / "../own/picture.jpg").string(), catalogue);
    ASSERT_TRUE(picture) << picture.error().message;
    EXPECT_EQ(picture->name, "picture");
    EXPECT_EQ(picture->baseModel, "starter");
    EXPECT_EQ(picture->pictures, (std::vector<fs::path>{own() / "picture.jpg"}));
}

TEST_F(StyleCatalogueTest, ResolvingRefusesWhatIsNoStyle) {
    const StyleCatalogue catalogue = load();
    put(own() / "ink.safetensors", "weights");
    EXPECT_THAT(resolveStyle((own() / "ink.safetensors").string(), catalogue).error().message, HasSubstr("--lora"));
    EXPECT_THAT(resolveStyle(own().string(), catalogue).error().message, HasSubstr("folder"));
    EXPECT_THAT(resolveStyle((bundled() / "broken.json").string(), catalogue).error().message, HasSubstr("JSON"));
    EXPECT_THAT(resolveStyle("no/such/picture.jpg", catalogue).error().message, HasSubstr("there is no style"));
}

TEST_F(StyleCatalogueTest, LooksInTheUsersDataFolder) {
    fs::create_directories(own() / "reelbrush/styles");
    put(own() / "reelbrush/styles/mine.json", R"({"version": 1, "name": "entirely mine", "prompt": "x"})");
    const char* before = std::getenv("XDG_DATA_HOME");
    const std::string kept = before ? before : "";
    setenv("XDG_DATA_HOME", own().c_str(), 1);
    const StyleCatalogue catalogue = StyleCatalogue::load();
    before ? setenv("XDG_DATA_HOME", kept.c_str(), 1) : unsetenv("XDG_DATA_HOME");
    EXPECT_TRUE(catalogue.find("entirely mine"));
    EXPECT_GT(catalogue.cards().size(), 1U) << "and the bundled ones";
}

}  // namespace
}  // namespace reelbrush::styles
