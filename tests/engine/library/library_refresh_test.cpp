#include "tests/engine/library/library_bench.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

namespace reelbrush::library {
namespace {

namespace fs = std::filesystem;
using namespace reelbrush::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LibraryRefresh : public LibraryBench {
  protected:
    /// Other bytes behind the library's back: same size, same date.
    static void replaceSecretly(const fs::path& file, std::string bytes) {
        const auto time = fs::last_write_time(file);
        ASSERT_EQ(fs::file_size(file), bytes.size());
        writeBytes(file, bytes);
        fs::last_write_time(file, time);
    }
};

TEST_F(LibraryRefresh, FindsWhatIsNewChangedMovedAndGone) {
    put("a.safetensors", fakeLora());
    put("b.safetensors", fakeLora());
    put("c.safetensors", fakeLora());
    auto library = refreshed();
    EXPECT_THAT(shown(*library), ElementsAre("a: LoRA, SD 1.5", "b: LoRA, SD 1.5", "c: LoRA, SD 1.5"));
    ASSERT_TRUE(library->setHash(root() / "b.safetensors", "b's hash"));
    ASSERT_TRUE(library->setHash(root() / "c.safetensors", "c's hash"));

    fs::remove(root() / "a.safetensors");
    fs::create_directories(root() / "sub");
    fs::rename(root() / "b.safetensors", root() / "sub" / "b.safetensors");
    put("c.safetensors", fakeVae());
    put("d.safetensors", fakeEmbedding());
    ASSERT_TRUE(library->refresh());
    const std::vector<std::string> now{"c: VAE", "d: embedding, SD 1.5", "sub/b: LoRA, SD 1.5"};
    EXPECT_EQ(shown(*library), now);
    library = opened();
    EXPECT_EQ(shown(*library), now) << "the index was not kept";
    EXPECT_EQ(recordOf(*library, "sub/b").xxh3, "b's hash") << "a moved file is the same";
    EXPECT_EQ(recordOf(*library, "c").xxh3, "") << "another file has another hash";
}

TEST_F(LibraryRefresh, LooksOnlyIntoWhatSeemsChanged) {
    const fs::path file = put("a.safetensors", fakeLora());
    auto library = refreshed();
    ASSERT_TRUE(library->setHash(file, "hash"));
    std::string bytes = fakeLora().bytes();
    std::replace(bytes.begin(), bytes.end(), '{', '!');
    replaceSecretly(file, bytes);
    ASSERT_TRUE(library->refresh());
    EXPECT_EQ(recordOf(*library, "a").problem, "") << "it was read although neither size nor date had changed";

    options_.examineAll = true;
    EXPECT_NE(recordOf(*refreshed(), "a").problem, "");
    EXPECT_EQ(recordOf(*opened(), "a").xxh3, "hash") << "the hash belongs to size and date";
}

TEST_F(LibraryRefresh, SeesWhatIsPutBesideAModel) {
    const fs::path file = put("a.safetensors", fakeLora());
    auto library = refreshed();
    ASSERT_TRUE(library->setHash(file, "hash"));
    EXPECT_EQ(recordOf(*library, "a").thumbnail, fs::path());
    const fs::path picture = put("a.preview.png", std::string("picture"));
    put("a.json", std::string(R"({"activation text": "ink wash"})"));
    ASSERT_TRUE(library->refresh());
    EXPECT_EQ(recordOf(*library, "a").thumbnail, picture);
    EXPECT_THAT(recordOf(*library, "a").triggerWords, ElementsAre("ink wash"));
    EXPECT_EQ(recordOf(*library, "a").xxh3, "hash");
    put("a.json", std::string(R"({"activation text": "oil"})"));
    fs::remove(picture);
    ASSERT_TRUE(library->refresh());
    EXPECT_EQ(recordOf(*library, "a").thumbnail, fs::path());
    EXPECT_THAT(recordOf(*library, "a").triggerWords, ElementsAre("oil"));
}

TEST_F(LibraryRefresh, KeepsWhatItKnowsOfFoldersThatAreAway) {
    const fs::path disk = root().parent_path() / "disk", away = root().parent_path() / "away";
    SafetensorsWriter(fakeLora()).write(disk / "far.safetensors");
    put("near.safetensors", fakeLora());
    options_.folders.push_back(disk);
    auto library = refreshed();
    EXPECT_THAT(shown(*library), ElementsAre("far: LoRA, SD 1.5", "near: LoRA, SD 1.5"));
    ASSERT_TRUE(library->setHash(disk / "far.safetensors", "hash"));

    fs::rename(disk, away);
    EXPECT_THAT(shown(*refreshed()), ElementsAre("near: LoRA, SD 1.5"));
    fs::rename(away, disk);
    // Another program that does not ask for that folder.
    options_.folders.pop_back();
    EXPECT_THAT(shown(*opened()), ElementsAre("near: LoRA, SD 1.5"));
    EXPECT_THAT(shown(*refreshed()), ElementsAre("near: LoRA, SD 1.5"));
    options_.folders.push_back(disk);
    EXPECT_EQ(recordOf(*refreshed(), "far").xxh3, "hash");
}

TEST_F(LibraryRefresh, NoFoldersAndNoModelsAreNoFailure) {
    EXPECT_THAT(shown(*refreshed()), IsEmpty());
    options_.folders = {root() / "nowhere"};
    const auto library = refreshed();
    EXPECT_THAT(shown(*library), IsEmpty());
    EXPECT_THAT(foundBy(*library, "ink", {"LoRA"}), HasSubstr("models folders add"));
    options_.folders.clear();
    EXPECT_THAT(shown(*refreshed()), IsEmpty());
}

TEST_F(LibraryRefresh, AnIndexThatCannotBeKeptIsTold) {
    put("ink.safetensors", fakeLora());
    writeBytes(root().parent_path() / "file", "in the way");
    options_.databaseFile = root().parent_path() / "file" / "models.sqlite";
    const auto library = refreshed();
    EXPECT_THAT(shown(*library), ElementsAre("ink: LoRA, SD 1.5"));
    EXPECT_THAT(library->notes(), ElementsAre(HasSubstr("cannot be kept")));
    ASSERT_TRUE(library->refresh());
    EXPECT_THAT(foundBy(*library, "ink", {"LoRA"}), HasSubstr("ink.safetensors"));
}

TEST_F(LibraryRefresh, ADamagedIndexIsBegunAnewAndTold) {
    put("ink.safetensors", fakeLora());
    (void)refreshed();
    const auto size = fs::file_size(options_.databaseFile);
    const std::vector<std::pair<const char*, std::string>> damages{{"no database", std::string(5000, 'x')},
                                                                   {"a short file", "SQLite format 3"},
                                                                   {"zeros", std::string(size, '\0')}};
    for (const auto& [what, bytes] : damages) {
        SCOPED_TRACE(what);
        writeBytes(options_.databaseFile, bytes);
        const auto library = refreshed();
        EXPECT_THAT(shown(*library), ElementsAre("ink: LoRA, SD 1.5"));
        EXPECT_THAT(library->notes(), ElementsAre(HasSubstr("begun anew")));
        EXPECT_THAT(opened()->notes(), IsEmpty());
        EXPECT_THAT(shown(*opened()), ElementsAre("ink: LoRA, SD 1.5"));
    }
}

TEST_F(LibraryRefresh, ADamagedPageInTheMiddle) {
    for (int i = 0; i < 60; ++i) put(fmt::format("ink{}.safetensors", i), fakeLora());
    (void)refreshed();
    const auto size = fs::file_size(options_.databaseFile);
    ASSERT_GT(size, 3 * 4096u);
    {
        std::fstream file(options_.databaseFile, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(4096);
        file << std::string(size - 4096, '\x5a');
    }
    const auto library = refreshed();
    EXPECT_EQ(library->records().size(), 60u);
    EXPECT_THAT(library->notes(), ElementsAre(HasSubstr("begun anew")));
    EXPECT_EQ(opened()->records().size(), 60u);
}

}  // namespace
}  // namespace reelbrush::library
