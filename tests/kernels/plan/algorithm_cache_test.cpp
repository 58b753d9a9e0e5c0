#include "kernels/plan/algorithm_cache.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

namespace reelbrush::kernels {
namespace {

class AlgorithmCacheTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "reelbrush-cache-XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
        file_ = folder_ / "sub" / "algorithms.json";
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    void writeFile(const std::string& text) const {
        std::filesystem::create_directories(file_.parent_path());
        std::ofstream(file_, std::ios::binary) << text;
    }
    std::size_t filesInFolder() const {
        std::size_t count = 0;
        for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(file_.parent_path())) ++count;
        return count;
    }

    std::filesystem::path folder_, file_;
};

TEST_F(AlgorithmCacheTest, ChoicesSurviveTheProgramAndBelongToOneMachine) {
    {
        AlgorithmCache cache(file_, "machine one");
        EXPECT_EQ(cache.find("a"), std::nullopt);
        cache.remember("a", "direct f32");
        cache.remember("b", "int8");
        cache.remember("a", "winograd f32");
    }
    EXPECT_EQ(AlgorithmCache(file_, "machine one").find("a"), "winograd f32");
    EXPECT_EQ(AlgorithmCache(file_, "machine one").find("b"), "int8");
    EXPECT_EQ(AlgorithmCache(file_, "machine two").find("a"), std::nullopt);
    EXPECT_EQ(filesInFolder(), 1u) << "a temporary file was left behind";
}

TEST_F(AlgorithmCacheTest, WithoutAFileChoicesLiveInMemory) {
    AlgorithmCache cache({}, "machine");
    cache.remember("a", "int8");
    EXPECT_EQ(cache.find("a"), "int8");
}

TEST_F(AlgorithmCacheTest, DamagedAndForeignFilesAreReplaced) {
    for (const char* text :
         {"", "{", "\xff\xfe\x00 nonsense", "[]", "17", "{\"version\": 2, \"machines\": {\"m\": {\"a\": \"int8\"}}}",
          "{\"version\": \"1\", \"machines\": {}}", "{\"version\": 1}", "{\"version\": 1, \"machines\": []}",
          "{\"version\": 1, \"machines\": {\"m\": []}}", "{\"version\": 1, \"machines\": {\"m\": {\"a\": 3}}}"}) {
        writeFile(text);
        AlgorithmCache cache(file_, "m");
        EXPECT_EQ(cache.find("a"), std::nullopt) << text;
        cache.remember("b", "direct f32");
        EXPECT_EQ(AlgorithmCache(file_, "m").find("b"), "direct f32") << text;
    }
}

TEST_F(AlgorithmCacheTest, HugeFilesAreNotRead) {
    const std::string valid = "{\"version\": 1, \"machines\": {\"m\": {\"a\": \"int8\"}}}";
    writeFile(valid);
    EXPECT_EQ(AlgorithmCache(file_, "m").find("a"), "int8");
    const std::string blanks(1 << 20, ' ');
    std::ofstream end(file_, std::ios::app);
    for (int megabyte = 0; megabyte < 9; ++megabyte) end << blanks;
    end.close();
    EXPECT_EQ(AlgorithmCache(file_, "m").find("a"), std::nullopt);
}

TEST_F(AlgorithmCacheTest, OtherWritersKeepTheirChoices) {
    AlgorithmCache one(file_, "m"), two(file_, "m"), other(file_, "n");
    one.remember("a", "int8");
    two.remember("b", "direct f32");
    other.remember("c", "winograd f32");
    one.remember("d", "int8");
    AlgorithmCache fresh(file_, "m");
    EXPECT_EQ(fresh.find("a"), "int8");
    EXPECT_EQ(fresh.find("b"), "direct f32");
    EXPECT_EQ(fresh.find("d"), "int8");
    EXPECT_EQ(AlgorithmCache(file_, "n").find("c"), "winograd f32");
}

TEST_F(AlgorithmCacheTest, ManyWritersAtOnceLeaveAWholeFile) {
    std::vector<std::thread> writers;
    for (int writer = 0; writer < 4; ++writer)
        writers.emplace_back([this, writer] {
            AlgorithmCache cache(file_, fmt::format("machine {}", writer % 2));
            for (int i = 0; i < 20; ++i) cache.remember(fmt::format("{} {}", writer, i), "int8");
        });
    for (std::thread& writer : writers) writer.join();
    std::ifstream stream(file_);
    const auto document = nlohmann::json::parse(stream, nullptr, false);
    ASSERT_FALSE(document.is_discarded());
    EXPECT_EQ(document.at("version"), 1);
    EXPECT_EQ(filesInFolder(), 1u) << "a temporary file was left behind";
}

TEST_F(AlgorithmCacheTest, AnUnwritablePlaceIsNoError) {
    // A file where a folder would be needed: fails for every user, also for root.
    std::ofstream(folder_ / "sub") << "not a folder";
    AlgorithmCache cache(file_, "m");
    cache.remember("a", "int8");
    EXPECT_EQ(cache.find("a"), "int8");
    AlgorithmCache nowhere("/proc/reelbrush/algorithms.json", "m");
    nowhere.remember("a", "int8");
    EXPECT_EQ(nowhere.find("a"), "int8");
}

}  // namespace
}  // namespace reelbrush::kernels
