/// The frame cache as a user meets it: what is in it, and how it is emptied.
#include "engine/cache/disk_store.h"
#include "tests/app/cli/workbench.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace reelbrush::cli::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class CacheVerbs : public Workbench {
  protected:
    CacheVerbs() { options_.environment = {{"XDG_CACHE_HOME", at("xdg")}}; }

    Outcome runHere(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), "cache");
        return run(arguments, options_);
    }
    std::string outputOf(const std::vector<std::string>& arguments) const {
        const Outcome outcome = runHere(arguments);
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
        EXPECT_EQ(outcome.err, "");
        return outcome.out;
    }
    /// Keeps `count` frames of 16x16 in a folder.
    static std::unique_ptr<cache::DiskStore> fill(const std::string& folder, int count) {
        auto store = cache::DiskStore::open({.folder = folder, .limitBytes = 1 << 20});
        EXPECT_TRUE(store);
        const std::vector<std::byte> bytes(16 * 16 * 3);
        for (int number = 0; store && number < count; ++number)
            EXPECT_EQ(
                (*store)->write(cache::FrameKeyBuilder("test", 1).add("number", number).key(),
                                {{cache::SampleType::Bits8, 16, 16, 3}, bytes},
                                {.quality = number == 0 ? cache::FrameQuality::Coarse : cache::FrameQuality::Final},
                                std::nullopt),
                cache::DiskStore::Written::Yes);
        return store ? std::move(*store) : nullptr;
    }

    RunOptions options_;
};

TEST_F(CacheVerbs, InfoTellsWhatThereIs) {
    (void)fill(at("xdg/reelbrush/frames"), 3);
    const Json info = Json::parse(outputOf({"info", "--json"}));
    EXPECT_EQ(info["folder"], at("xdg/reelbrush/frames"));
    EXPECT_EQ(info["exists"], true);
    EXPECT_EQ(info["frames"], 3);
    EXPECT_EQ(info["coarseFrames"], 1);
    EXPECT_EQ(info["files"], 1);
    EXPECT_EQ(info["unpackedBytes"], 3 * 16 * 16 * 3);
    EXPECT_GT(info["bytes"], 0);
    EXPECT_GT(info["ratio"], 1);
    EXPECT_GT(info["limitBytes"], info["bytes"]);
    EXPECT_GT(info["newestUseMs"], 0);
    const std::string text = outputOf({"info"});
    EXPECT_NE(text.find(at("xdg/reelbrush/frames")), std::string::npos);
    EXPECT_NE(text.find("3, 1 of them coarse"), std::string::npos) << text;
}

TEST_F(CacheVerbs, InfoMakesNoFolder) {
    const Json info = Json::parse(outputOf({"info", "--json", "--cache", at("missing")}));
    EXPECT_EQ(info["exists"], false);
    EXPECT_EQ(info["frames"], 0);
    EXPECT_NE(outputOf({"info"}).find("not there yet"), std::string::npos);
    EXPECT_EQ(Json::parse(outputOf({"clear", "--json"}))["removedFrames"], 0);
    EXPECT_FALSE(fs::exists(at("missing")));
    EXPECT_FALSE(fs::exists(at("xdg")));
}

TEST_F(CacheVerbs, ClearRemovesTheFrames) {
    (void)fill(at("frames"), 4);
    const Json cleared = Json::parse(outputOf({"clear", "--json", "--cache", at("frames")}));
    EXPECT_EQ(cleared["removedFrames"], 4);
    EXPECT_GT(cleared["removedBytes"], 0);
    EXPECT_EQ(cleared["filesInUse"], 0);
    EXPECT_EQ(Json::parse(outputOf({"info", "--json", "--cache", at("frames")}))["frames"], 0);
    EXPECT_EQ(outputOf({"clear", "--cache", at("frames")}), "removed 0 frames, 0 bytes\n");
}

TEST_F(CacheVerbs, ClearLeavesWhatAnotherProgramIsWriting) {
    const auto writing = fill(at("frames"), 4);
    EXPECT_EQ(Json::parse(outputOf({"clear", "--json", "--cache", at("frames")}))["filesInUse"], 1);
    EXPECT_NE(outputOf({"clear", "--cache", at("frames")}).find("another program is writing"), std::string::npos);
    EXPECT_EQ(Json::parse(outputOf({"info", "--json", "--cache", at("frames")}))["frames"], 4);
}

TEST_F(CacheVerbs, RefuseFoldersOfSomethingElse) {
    fs::create_directories(at("pictures"));
    std::ofstream(at("pictures/holiday.jpg")) << "a picture";
    expectRefused(runHere({"clear", "--cache", at("pictures")}), 1, "no frame cache");
    expectRefused(runHere({"info", "--cache", at("pictures/holiday.jpg")}), 1, "is no folder");
    EXPECT_EQ(namesIn(at("pictures")), std::vector<std::string>{"holiday.jpg"});
}

TEST_F(CacheVerbs, ADamagedIndexIsToldInOneSentence) {
    (void)fill(at("frames"), 2);
    for (const char* beside : {"-wal", "-shm"}) fs::remove(at("frames/index.sqlite") + beside);
    std::ofstream(at("frames/index.sqlite")) << std::string(5000, 'x');
    const Outcome outcome = runHere({"info", "--json", "--cache", at("frames")});
    EXPECT_EQ(outcome.exitCode, 0);
    EXPECT_NE(outcome.err.find("made again"), std::string::npos) << outcome.err;
    EXPECT_EQ(Json::parse(outcome.out)["frames"], 2);
}

TEST_F(CacheVerbs, WrongUsageIsRefused) {
    expectRefused(runHere({}), 2, "--help");
    expectRefused(runHere({"shrink"}), 2, "shrink");
    expectRefused(runHere({"info", "--cache"}), 2, "--cache");
    EXPECT_NE(outputOf({"info", "--help"}).find("--json"), std::string::npos);
}

}  // namespace
}  // namespace reelbrush::cli::testing
