#include "engine/styles/style_catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace reelbrush::styles {
namespace {

namespace fs = std::filesystem;

const fs::path kResources = fs::path(REELBRUSH_SOURCE_DIR) / "resources";

StyleCatalogue bundledStyles() {
    return StyleCatalogue::load({kResources / "styles"});
}

/// What the program carries along, and what only its documents show.
const std::vector<std::string> kCarried{"clips", "models", "styles", "tokenizer"}, kShown{"pictures"};

/// Paths of the files in these folders and below, relative to resources.
std::vector<std::string> filesIn(const std::vector<std::string>& folders) {
    std::vector<std::string> files;
    for (const std::string& folder : folders)
        for (const auto& entry : fs::recursive_directory_iterator(kResources / folder))
            if (entry.is_regular_file()) files.push_back(entry.path().lexically_relative(kResources).string());
    return files;
}

/// First columns of the table in LICENCES.md, without their quotes.
std::vector<std::string> licensedPatterns() {
    std::ifstream stream(kResources / "LICENCES.md");
    std::vector<std::string> patterns;
    for (std::string line; std::getline(stream, line);)
        if (line.starts_with("| `")) patterns.push_back(line.substr(3, line.find('`', 3) - 3));
    return patterns;
}

/// "a/b.jpg" is one file, "a/*.jpg" those of a folder, "a/**" also those below.
bool covers(const std::string& pattern, const std::string& file) {
    const auto star = pattern.find('*');
    if (star == std::string::npos) return pattern == file;
    const bool below = pattern.ends_with("**");
    const std::string front = pattern.substr(0, star), back = below ? "" : pattern.substr(star + 1);
    return file.size() > front.size() + back.size() && file.starts_with(front) && file.ends_with(back) &&
           (below || file.find('/', front.size()) == std::string::npos);
}

TEST(BundledStyles, EveryCardIsSound) {
    const StyleCatalogue catalogue = bundledStyles();
    for (const auto& problem : catalogue.problems()) ADD_FAILURE() << problem.error.message;
    for (const StyleCard& card : catalogue.cards()) {
        SCOPED_TRACE(card.name);
        EXPECT_EQ(card.file.stem(), card.name);
        EXPECT_FALSE(card.title.zh.empty());
        EXPECT_TRUE(fs::is_directory(kResources / "models" / card.baseModel));
        EXPECT_EQ(card.thumbnail, fs::path(kResources / "styles/thumbnails" / (card.name + ".jpg")).lexically_normal());
        EXPECT_FALSE(card.licence.empty());
        EXPECT_FALSE(card.author.empty());
        EXPECT_FALSE(card.tags.empty());
        EXPECT_TRUE(card.unknownFields.empty()) << card.unknownFields;
    }
}

TEST(BundledStyles, EveryLoraAndEveryPictureHasACard) {
    std::set<fs::path> used;
    std::size_t pictureCards = 0;
    const StyleCatalogue catalogue = bundledStyles();
    for (const StyleCard& card : catalogue.cards()) {
        for (const StyleLora& lora : card.loras) used.insert(lora.file);
        used.insert(card.pictures.begin(), card.pictures.end());
        pictureCards += card.pictures.empty() ? 0 : 1;
    }
    EXPECT_GE(pictureCards, 12U);
    std::size_t loras = 0;
    for (const char* folder : {"models/starter/loras", "styles/pictures"})
        for (const auto& entry : fs::directory_iterator(kResources / folder)) {
            EXPECT_TRUE(used.contains(entry.path().lexically_normal())) << entry.path();
            loras += entry.path().extension() == ".safetensors" ? 1 : 0;
        }
    EXPECT_EQ(loras, 10U);
}

TEST(BundledStyles, EveryFileHasALicence) {
    const auto patterns = licensedPatterns();
    auto files = filesIn(kCarried);
    for (const std::string& file : filesIn(kShown)) files.push_back(file);
    for (const std::string& file : files)
        EXPECT_TRUE(std::any_of(patterns.begin(), patterns.end(),
                                [&](const std::string& pattern) { return covers(pattern, file); }))
            << file << " has no row in resources/LICENCES.md";
    for (const std::string& pattern : patterns) {
        const bool one = pattern.find('*') == std::string::npos;
        EXPECT_TRUE(!one || std::find(files.begin(), files.end(), pattern) != files.end())
            << "resources/LICENCES.md has a row for " << pattern << ", which is not there";
    }
}

TEST(BundledStyles, PatternsOfLicencesCoverWhatTheySay) {
    EXPECT_TRUE(covers("a/b.jpg", "a/b.jpg"));
    EXPECT_FALSE(covers("a/b.jpg", "a/c.jpg"));
    EXPECT_TRUE(covers("a/*.jpg", "a/b.jpg"));
    EXPECT_FALSE(covers("a/*.jpg", "a/b/c.jpg"));
    EXPECT_FALSE(covers("a/*.jpg", "a/b.png"));
    EXPECT_TRUE(covers("a/**", "a/b/c.jpg"));
    EXPECT_FALSE(covers("a/**", "ab/c.jpg"));
}

TEST(BundledStyles, TheWholeStaysSmall) {
    std::uintmax_t sizeBytes = 0;
    for (const std::string& file : filesIn(kCarried)) sizeBytes += fs::file_size(kResources / file);
    EXPECT_LT(sizeBytes, 35'000'000U);
}

}  // namespace
}  // namespace reelbrush::styles
