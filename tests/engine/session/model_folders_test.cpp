#include "engine/session/model_folders.h"

#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace reelbrush::session {
namespace {

namespace fs = std::filesystem;

class ModelFolders : public ::testing::Test {
  protected:
    void SetUp() override {
        setenv("REELBRUSH_RESOURCES", (scratch_.path() / "bundled").c_str(), 1);
        setenv("XDG_DATA_HOME", (scratch_.path() / "data").c_str(), 1);
    }
    void TearDown() override {
        unsetenv("REELBRUSH_RESOURCES");
        unsetenv("XDG_DATA_HOME");
    }
    fs::path add(const fs::path& model) {
        const fs::path folder = scratch_.path() / model;
        fs::create_directories(folder / "unet");
        std::ofstream(folder / "unet" / "config.json") << "{}";
        return folder;
    }
    reelbrush::testing::ScratchFolder scratch_;
};

TEST_F(ModelFolders, TheUsersHidesTheBundledOne) {
    add("bundled/models/starter");
    add("bundled/models/other");
    const fs::path mine = add("data/reelbrush/models/starter");
    fs::create_directories(scratch_.path() / "bundled/models/holiday pictures");
    const auto models = listModelFolders();
    ASSERT_EQ(models.size(), 2u);
    EXPECT_EQ(models[0].name, "other");
    EXPECT_TRUE(models[0].bundled);
    EXPECT_EQ(models[1].folder, mine);
    EXPECT_FALSE(models[1].bundled);
    EXPECT_EQ(*findModelFolder("starter"), mine);
}

TEST_F(ModelFolders, APathIsAModelToo) {
    const fs::path folder = add("elsewhere/model");
    EXPECT_EQ(*findModelFolder(folder.string()), folder);
}

TEST_F(ModelFolders, AnUnknownOneListsWhatThereIs) {
    add("bundled/models/starter");
    const auto folder = findModelFolder("sdxl");
    ASSERT_FALSE(folder);
    EXPECT_EQ(folder.error().code, StatusCode::BadInput);
    EXPECT_NE(folder.error().message.find("there are: starter"), std::string::npos) << folder.error().message;
    EXPECT_FALSE(findModelFolder(""));
    EXPECT_FALSE(findModelFolder("/nowhere/model"));
}

}  // namespace
}  // namespace reelbrush::session
