#include "engine/cache/cache_settings.h"

#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <fstream>

namespace reelbrush::cache::testing {
namespace {

namespace fs = std::filesystem;

TEST(CacheSettings, LimitIsATenthOfWhatIsFreeAndAtMost20GB) {
    const reelbrush::testing::ScratchFolder scratch;
    const auto missing = scratch.path() / "not" / "there";
    const double free = static_cast<double>(fs::space(scratch.path()).available);
    const auto limit = static_cast<double>(defaultLimitBytes(missing));
    EXPECT_LE(limit, 20e9);
    EXPECT_NEAR(limit, std::min(20e9, free / 10), 0.5e9);  // others write to the disk meanwhile
    EXPECT_FALSE(fs::exists(missing));
}

TEST(CacheSettings, FolderIsTheUsersUnlessNamed) {
    EXPECT_EQ(userDisk("/somewhere/else").folder, "/somewhere/else");
    EXPECT_EQ(userDisk().folder, defaultFrameFolder());
    EXPECT_EQ(defaultFrameFolder().filename(), "frames");
    EXPECT_EQ(defaultFrameFolder().parent_path().filename(), "reelbrush");
}

TEST(CacheSettings, FolderOfFramesIsToldFromOthers) {
    const reelbrush::testing::ScratchFolder scratch;
    EXPECT_FALSE(isFrameFolder(scratch.path()));
    EXPECT_FALSE(isFrameFolder(scratch.path() / "missing"));
    std::ofstream(scratch.path() / "holiday.jpg") << "a picture";
    EXPECT_FALSE(isFrameFolder(scratch.path()));
    std::ofstream(scratch.path() / "0000000000000001.frames") << "frames";
    EXPECT_TRUE(isFrameFolder(scratch.path()));
}

}  // namespace
}  // namespace reelbrush::cache::testing
