#include "engine/library/model_database.h"

#include "tests/support/test_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelbrush::library {
namespace {

using ::testing::HasSubstr;

class Database : public ::testing::Test {
  protected:
    std::filesystem::path file() const { return scratch_.path() / "folder" / "models.sqlite"; }
    ModelDatabase opened() const {
        auto database = ModelDatabase::open(file());
        if (!database) throw std::runtime_error(database.error().message);
        return *std::move(database);
    }
    /// Every field differs from its default.
    static ModelRecord full() {
        ModelRecord record;
        record.path = "/models/a b/水.safetensors";
        record.relative = "a b/水.safetensors";
        record.sizeBytes = 1ULL << 40;
        record.modifiedNs = -5;
        record.companions = ~0ULL;
        record.kind = "LoRA";
        record.baseModel = "SD 1.5";
        record.variant = "Plus";
        record.prediction = "v-prediction";
        record.title = "It's \"quoted\"";
        record.author = "me";
        record.licence = "CC0-1.0";
        record.description = "two\tcolumns";
        record.triggerWords = {"one", "two"};
        record.family = "PEFT";
        record.rank = 64;
        record.thumbnail = "/models/a b/水.png";
        record.xxh3 = "00ff";
        record.problem = "none";
        return record;
    }
    reelbrush::testing::ScratchFolder scratch_;
};

TEST_F(Database, GivesBackWhatItWasGiven) {
    {
        ModelDatabase database = opened();
        EXPECT_EQ(database.note(), "");
        ASSERT_TRUE(database.update({full()}, {}));
    }
    const auto records = opened().records();
    ASSERT_TRUE(records);
    ASSERT_EQ(records->size(), 1u);
    const ModelRecord& record = records->front();
    const ModelRecord expected = full();
    EXPECT_EQ(record.path, expected.path);
    EXPECT_EQ(record.relative, expected.relative);
    EXPECT_EQ(record.sizeBytes, expected.sizeBytes);
    EXPECT_EQ(record.modifiedNs, expected.modifiedNs);
    EXPECT_EQ(record.companions, expected.companions);
    EXPECT_EQ(record.kind, expected.kind);
    EXPECT_EQ(record.baseModel, expected.baseModel);
    EXPECT_EQ(record.variant, expected.variant);
    EXPECT_EQ(record.prediction, expected.prediction);
    EXPECT_EQ(record.title, expected.title);
    EXPECT_EQ(record.author, expected.author);
    EXPECT_EQ(record.licence, expected.licence);
    EXPECT_EQ(record.description, expected.description);
    EXPECT_EQ(record.triggerWords, expected.triggerWords);
    EXPECT_EQ(record.family, expected.family);
    EXPECT_EQ(record.rank, expected.rank);
    EXPECT_EQ(record.thumbnail, expected.thumbnail);
    EXPECT_EQ(record.xxh3, expected.xxh3);
    EXPECT_EQ(record.problem, expected.problem);
}

TEST_F(Database, ReplacesAndRemoves) {
    ModelDatabase database = opened();
    ModelRecord other = full();
    other.path = "/models/other";
    ASSERT_TRUE(database.update({full(), other}, {}));
    ModelRecord changed = full();
    changed.kind = "VAE";
    ASSERT_TRUE(database.update({changed}, {other.path, "/never/there"}));
    const auto records = database.records();
    ASSERT_TRUE(records);
    ASSERT_EQ(records->size(), 1u);
    EXPECT_EQ(records->front().kind, "VAE");
}

TEST_F(Database, AHashStaysWithTheFileThatItIsOf) {
    ModelDatabase database = opened();
    ModelRecord record = full();
    record.xxh3.clear();
    ASSERT_TRUE(database.update({record}, {}));
    ASSERT_TRUE(database.setHash(record, "hash"));
    // Another program looked at the file before the hash was known, and writes now.
    ASSERT_TRUE(database.update({record}, {}));
    EXPECT_EQ(database.records()->front().xxh3, "hash");
    ModelRecord changed = record;
    ++changed.modifiedNs;
    ASSERT_TRUE(database.update({changed}, {}));
    EXPECT_EQ(database.records()->front().xxh3, "");
    ASSERT_TRUE(database.setHash(record, "hash"));
    EXPECT_EQ(database.records()->front().xxh3, "") << "that was the file before";
}

TEST_F(Database, AnIndexOfAnotherVersionIsBegunAnew) {
    ASSERT_TRUE(opened().update({full()}, {}));
    {
        auto connection = SqliteConnection::open(file());
        ASSERT_TRUE(connection);
        ASSERT_TRUE(connection->execute("PRAGMA user_version = 77"));
    }
    const ModelDatabase database = opened();
    EXPECT_THAT(database.note(), HasSubstr("another version"));
    EXPECT_TRUE(database.records()->empty());
}

TEST_F(Database, RecordsThatCannotBeReadAreBegunAnew) {
    ASSERT_TRUE(opened().update({full()}, {}));
    {
        auto connection = SqliteConnection::open(file());
        ASSERT_TRUE(connection->execute("UPDATE models SET record = '{\"rank\": \"many\"}'"));
    }
    EXPECT_THAT(opened().note(), HasSubstr("begun anew"));
    EXPECT_EQ(opened().note(), "");
}

TEST_F(Database, ATableFromElsewhereIsBegunAnew) {
    const std::string right =
        "CREATE TABLE models (path TEXT PRIMARY KEY, relative TEXT NOT NULL, thumbnail TEXT NOT NULL, size_bytes "
        "INTEGER NOT NULL, modified_ns INTEGER NOT NULL, xxh3 TEXT NOT NULL, record TEXT NOT NULL";
    const std::vector<std::pair<const char*, std::string>> tables{
        {"no table", "SELECT 1"},
        {"other columns", "CREATE TABLE models (name TEXT, size INTEGER)"},
        {"one column too many, which must be filled", right + ", owner TEXT NOT NULL)"},
        {"a column that lacks", "CREATE TABLE models (path TEXT PRIMARY KEY, relative TEXT, record TEXT)"},
        {"a view", "CREATE VIEW models AS SELECT 1 AS path"},
        {"a table of another name", "CREATE TABLE loras (path TEXT)"},
    };
    for (const char* version : {"PRAGMA user_version = 2", "PRAGMA user_version = 0"})
        for (const auto& [what, sql] : tables) {
            SCOPED_TRACE(std::string(what) + ", " + version);
            std::filesystem::remove_all(file().parent_path());
            std::filesystem::create_directories(file().parent_path());
            {
                auto connection = SqliteConnection::open(file());
                ASSERT_TRUE(connection);
                ASSERT_TRUE(connection->execute(sql.c_str()));
                ASSERT_TRUE(connection->execute(version));
            }
            ModelDatabase database = opened();
            const Status kept = database.update({full()}, {});
            EXPECT_TRUE(kept) << kept.error().message;
            EXPECT_TRUE(database.setHash(full(), "hash"));
            EXPECT_EQ(opened().note(), "") << "mended for good";
            EXPECT_EQ(opened().records()->size(), 1u);
        }
    // A version that is right and a table that is not: told.
    {
        auto connection = SqliteConnection::open(file());
        ASSERT_TRUE(connection->execute("ALTER TABLE models DROP COLUMN relative"));
    }
    EXPECT_THAT(opened().note(), HasSubstr("begun anew, since its table of models is of another make"));
}

TEST_F(Database, BeginningAnewLeavesOtherProgramsWorking) {
    ModelDatabase other = opened();
    ASSERT_TRUE(other.update({full()}, {}));
    {
        auto connection = SqliteConnection::open(file());
        ASSERT_TRUE(connection->execute("PRAGMA user_version = 77"));
    }
    (void)opened();
    ASSERT_TRUE(other.update({full()}, {}));
    EXPECT_EQ(opened().records()->size(), 1u) << "the other wrote to a file that nobody sees";
}

}  // namespace
}  // namespace reelbrush::library
