#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>

namespace reelbrush::testing {
namespace {

namespace fs = std::filesystem;

TEST(TestData, GoldenIsASafetensorsFile) {
    const fs::path golden = starterGolden();
    std::ifstream stream(golden, std::ios::binary);
    std::uint64_t headerBytes = 0;
    stream.read(reinterpret_cast<char*>(&headerBytes), sizeof headerBytes);
    ASSERT_TRUE(stream);
    EXPECT_GT(headerBytes, 2U);
    EXPECT_LT(headerBytes + sizeof headerBytes, fs::file_size(golden));
    EXPECT_EQ(stream.get(), '{');
}

TEST(TestData, FixturesHoldTheFoldersThatAreNamed) {
    const fs::path fixtures = fixturesFolder();
    for (const char* file : {"tokenizer/cases.json", "rng/torch_randn.safetensors", "schedulers/meta.json",
                             "taesd-tiny/golden.safetensors", "ip-adapter-tiny/plus.safetensors",
                             "sd15-tiny/single_file.safetensors", "sd15-tiny/lora"})
        EXPECT_TRUE(fs::exists(fixtures / file)) << file;
    EXPECT_FALSE(fs::exists(fixtures / "sd15-tiny/diffusers"));
    EXPECT_EQ(fixtures, fixturesFolder()) << "the second call finds what the first has unpacked";
}

TEST(TestData, SharedFolderFollowsTheEnvironment) {
    const ScratchFolder scratch;
    setenv("REELBRUSH_FIXTURES", scratch.path().c_str(), 1);
    EXPECT_FALSE(sharedFolder().has_value()) << "a folder without fixtures/ is not it";
    fs::create_directory(scratch.path() / "fixtures");
    const auto found = sharedFolder();
    unsetenv("REELBRUSH_FIXTURES");
    ASSERT_TRUE(found.has_value());
    EXPECT_TRUE(fs::equivalent(*found, scratch.path()));
}

TEST(TestData, ScratchFolderIsRemovedWithItsContent) {
    fs::path path;
    {
        const ScratchFolder scratch;
        path = scratch.path();
        std::ofstream(path / "file") << "content";
        EXPECT_TRUE(fs::exists(path / "file"));
    }
    EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace reelbrush::testing
