#include "engine/library/library_folders.h"

#include "tests/support/test_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace reelbrush::library {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LibraryFolders : public ::testing::Test {
  protected:
    void SetUp() override {
        ::setenv("XDG_CONFIG_HOME", (scratch_.path() / "config").c_str(), 1);
        ::setenv("XDG_DATA_HOME", (scratch_.path() / "data").c_str(), 1);
        ::setenv("REELBRUSH_RESOURCES", (scratch_.path() / "resources").c_str(), 1);
        ::unsetenv("REELBRUSH_MODEL_PATH");
        for (const char* name : {"one", "two 水"}) fs::create_directories(at(name));
    }
    fs::path at(const std::string& name) const { return scratch_.path() / name; }
    fs::path settings() const { return at("config") / "reelbrush" / "models.json"; }
    static std::string messageOf(const Status& status) { return status ? "" : status.error().message; }

    reelbrush::testing::ScratchFolder scratch_;
};

TEST_F(LibraryFolders, TheOrder) {
    ::setenv("REELBRUSH_MODEL_PATH", (at("env1").string() + "::" + at("env2").string() + "/").c_str(), 1);
    ASSERT_TRUE(addLibraryFolder(at("one")));
    ASSERT_TRUE(addLibraryFolder(at("two 水") / "." / ""));
    EXPECT_THAT(*libraryFolders(), ElementsAre(at("env1"), at("env2"), at("one"), at("two 水"),
                                               at("data") / "reelbrush" / "models", at("resources") / "models"));
    ::setenv("REELBRUSH_MODEL_PATH", at("two 水").c_str(), 1);
    EXPECT_THAT(*libraryFolders(),
                ElementsAre(at("two 水"), at("one"), at("data") / "reelbrush" / "models", at("resources") / "models"));
}

TEST_F(LibraryFolders, AddedOnesAreKeptAndTakenOff) {
    EXPECT_THAT(*addedFolders(), IsEmpty());
    ASSERT_TRUE(addLibraryFolder(at("one")));
    EXPECT_THAT(messageOf(addLibraryFolder(at("one") / ".." / "one")), HasSubstr("on the list already"));
    fs::remove(at("one"));
    EXPECT_THAT(*addedFolders(), ElementsAre(at("one"))) << "a disk may come back";
    EXPECT_EQ(messageOf(removeLibraryFolder(at("one"))), "");
    EXPECT_THAT(messageOf(removeLibraryFolder(at("one"))), HasSubstr("not on the list"));
    EXPECT_THAT(*addedFolders(), IsEmpty());
}

TEST_F(LibraryFolders, WhatIsNoFolder) {
    EXPECT_THAT(messageOf(addLibraryFolder(at("nowhere"))), HasSubstr("does not exist"));
    std::ofstream(at("file")) << "text";
    EXPECT_THAT(messageOf(addLibraryFolder(at("file"))), HasSubstr("is no folder"));
    fs::create_directories(at("model") / "unet");
    std::ofstream(at("model") / "unet" / "config.json") << "{}";
    EXPECT_THAT(messageOf(addLibraryFolder(at("model"))), HasSubstr("is a model itself"));
    EXPECT_FALSE(fs::exists(settings()));
}

TEST_F(LibraryFolders, NamesOutsideOfUtf8AreRefused) {
    fs::create_directories(at("bad\xff"));
    EXPECT_THAT(messageOf(addLibraryFolder(at("bad\xff"))), HasSubstr("UTF-8"));
}

TEST_F(LibraryFolders, DamagedSettingsAreNamedAndKept) {
    fs::create_directories(settings().parent_path());
    for (const char* text : {"{", "[]", R"({"folders": "one"})", R"({"folders": [1]})"}) {
        std::ofstream(settings()) << text;
        const auto folders = libraryFolders();
        ASSERT_FALSE(folders) << text;
        EXPECT_THAT(folders.error().message, HasSubstr("models.json"));
        EXPECT_THAT(messageOf(addLibraryFolder(at("one"))), HasSubstr("models.json"));
        std::ifstream stream(settings());
        EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), text);
    }
}

TEST_F(LibraryFolders, OtherSettingsStay) {
    fs::create_directories(settings().parent_path());
    std::ofstream(settings()) << R"({"other": {"a": 1}})";
    ASSERT_TRUE(addLibraryFolder(at("one")));
    std::ifstream stream(settings());
    EXPECT_THAT(std::string(std::istreambuf_iterator<char>(stream), {}), HasSubstr("\"a\": 1"));
}

TEST_F(LibraryFolders, SettingsThatCannotBeWrittenAreTold) {
    std::ofstream(at("config")) << "in the way";
    EXPECT_THAT(messageOf(addLibraryFolder(at("one"))), HasSubstr("models.json"));
}

}  // namespace
}  // namespace reelbrush::library
