#include "engine/session/partial_output.h"

#include "tests/support/test_data.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace reelbrush::session {
namespace {

namespace fs = std::filesystem;

TEST(PartialOutput, GoesAndNothingElse) {
    const reelbrush::testing::ScratchFolder scratch;
    const fs::path folder = scratch.path();
    const std::string mine = ".part-" + std::to_string(getpid()), other = mine + "0";
    for (const std::string& name : {".film" + mine + ".mp4", ".film" + mine + "-1.mp4"})
        std::ofstream(folder / name) << "x";
    fs::create_directories(folder / (".frames" + mine));
    std::ofstream(folder / (".frames" + mine) / "1.png") << "x";
    const std::vector<std::string> kept{"film.mp4", ".film" + other + ".mp4", "film" + mine + ".mp4",
                                        ".film.part-.mp4"};
    for (const std::string& name : kept) std::ofstream(folder / name) << "x";

    removePartialOutput(folder / "film.mp4");
    for (const std::string& name : kept) EXPECT_TRUE(fs::exists(folder / name)) << name;
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()),
              static_cast<std::ptrdiff_t>(kept.size()));
}

TEST(PartialOutput, InsideTheFolderOfASequence) {
    const reelbrush::testing::ScratchFolder scratch;
    const fs::path frames = scratch.path() / "frames";
    fs::create_directories(frames / (".frames.part-" + std::to_string(getpid())));
    removePartialOutput(frames.string() + "/");
    EXPECT_TRUE(fs::is_empty(frames));
    removePartialOutput(scratch.path() / "nowhere" / "film.mp4");
}

}  // namespace
}  // namespace reelbrush::session
