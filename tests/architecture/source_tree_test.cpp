#include "tests/architecture/source_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace reelbrush::architecture {
namespace {

namespace fs = std::filesystem;

/// A small tree outside any repository, with names that a shell would trip over.
class SourceTree : public testing::Test {
  protected:
    void SetUp() override {
        root_ = fs::temp_directory_path() / ("reelbrush it's 影片 " + std::to_string(getpid()));
        write("kernels/ops/conv2d.h", "#include \"engine/core/status.h\"\n");
        write("kernels/ops/notes.txt", "not a source");
        write("build/ci/generated.cpp", "int main() {}");
        write(".git/HEAD", "not a repository");
    }
    void TearDown() override { fs::remove_all(root_); }
    void write(const fs::path& path, const std::string& text) {
        fs::create_directories((root_ / path).parent_path());
        std::ofstream(root_ / path) << text;
    }

    fs::path root_;
};

TEST_F(SourceTree, ReadsTheSourcesBelowTheFourFolders) {
    const auto sources = readSources(root_);
    ASSERT_EQ(sources.size(), 1u);
    EXPECT_EQ(sources[0].path, "kernels/ops/conv2d.h");
    EXPECT_EQ(sources[0].text, "#include \"engine/core/status.h\"\n");
}

TEST_F(SourceTree, WithoutGitWalksTheTreeButNotBuildProducts) {
    std::vector<std::string> paths;
    for (const TrackedFile& file : trackedFiles(root_)) paths.push_back(file.path);
    EXPECT_THAT(paths, testing::UnorderedElementsAre("kernels/ops/conv2d.h", "kernels/ops/notes.txt"));
}

TEST_F(SourceTree, WithGitTakesWhatIsTracked) {
    const std::string quiet = " >/dev/null 2>&1";
    fs::current_path(root_);
    fs::remove_all(".git");
    if (std::system(("git init" + quiet).c_str()) != 0) GTEST_SKIP() << "git is not installed";
    ASSERT_EQ(std::system(("git add kernels/ops/notes.txt" + quiet).c_str()), 0);
    const auto files = trackedFiles(root_);
    fs::current_path("/");
    ASSERT_EQ(files.size(), 1u);
    EXPECT_EQ(files[0].path, "kernels/ops/notes.txt");
    EXPECT_EQ(files[0].sizeBytes, 12u);
}

}  // namespace
}  // namespace reelbrush::architecture
