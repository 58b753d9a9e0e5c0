#include "tests/support/unpack.h"

#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace reelbrush::testing {
namespace {

namespace fs = std::filesystem;

const fs::path kArchive = fs::path(REELBRUSH_TEST_DATA_DIR) / "starter/golden.safetensors.zst";

TEST(Unpack, RefusesACutArchiveAndLeavesNothing) {
    const ScratchFolder scratch;
    const fs::path cut = scratch.path() / "cut.zst";
    std::ifstream whole(kArchive, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(whole), {}};
    bytes.resize(bytes.size() / 2);
    std::ofstream(cut, std::ios::binary) << bytes;
    EXPECT_THROW(unpack(cut, scratch.path() / "target", PackedAs::SingleFile), std::runtime_error);
    fs::remove(cut);
    EXPECT_TRUE(fs::is_empty(scratch.path()));
}

TEST(Unpack, RefusesWhatIsNotAnArchive) {
    const ScratchFolder scratch;
    const fs::path text = scratch.path() / "text.zst";
    std::ofstream(text) << "this is not compressed";
    EXPECT_THROW(unpack(text, scratch.path() / "target", PackedAs::SingleFile), std::runtime_error);
    EXPECT_THROW(unpack(scratch.path() / "none.zst", scratch.path() / "target", PackedAs::TarArchive),
                 std::runtime_error);
}

TEST(Unpack, KeepsTheFolderOfAQuickerProcess) {
    const ScratchFolder scratch;
    const fs::path target = scratch.path() / "with 'quotes' and 空格";
    fs::create_directory(target);
    std::ofstream(target / "already here") << "x";
    unpack(fs::path(REELBRUSH_TEST_DATA_DIR) / "fixtures.tar.zst", target, PackedAs::TarArchive);
    EXPECT_TRUE(fs::exists(target / "already here"));
    EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path()), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace reelbrush::testing
