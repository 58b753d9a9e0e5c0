#include "engine/library/model_database.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

namespace reelbrush::library {

namespace {

namespace fs = std::filesystem;

constexpr int kVersion = 2;
/// Paths have columns of their own, since they need not be UTF-8, which JSON must be; the hash and what it belongs to,
/// since programs that only refresh must not lose what another one verified.
constexpr const char* kTable =
    "models (path TEXT PRIMARY KEY, relative TEXT NOT NULL, thumbnail TEXT NOT NULL, size_bytes INTEGER NOT NULL, "
    "modified_ns INTEGER NOT NULL, xxh3 TEXT NOT NULL, record TEXT NOT NULL)";
/// Another program may have verified the same file meanwhile.
constexpr const char* kInsert =
    "INSERT INTO models (path, relative, thumbnail, size_bytes, modified_ns, xxh3, record) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (path) DO UPDATE SET "
    "xxh3 = CASE WHEN excluded.xxh3 = '' AND size_bytes = excluded.size_bytes AND modified_ns = excluded.modified_ns "
    "THEN xxh3 ELSE excluded.xxh3 END, "
    "relative = excluded.relative, thumbnail = excluded.thumbnail, size_bytes = excluded.size_bytes, "
    "modified_ns = excluded.modified_ns, record = excluded.record";
constexpr const char* kInMemory = ":memory:";

nlohmann::json toJson(const ModelRecord& record) {
    return {{"companions", record.companions},   {"kind", record.kind},
            {"baseModel", record.baseModel},     {"variant", record.variant},
            {"prediction", record.prediction},   {"title", record.title},
            {"author", record.author},           {"licence", record.licence},
            {"description", record.description}, {"triggerWords", record.triggerWords},
            {"family", record.family},           {"rank", record.rank},
            {"problem", record.problem}};
}

/// Throws nlohmann::json::exception where the text is not what toJson made.
ModelRecord recordFrom(const std::string& text) {
    const auto json = nlohmann::json::parse(text);
    ModelRecord record;
    json.at("companions").get_to(record.companions);
    json.at("kind").get_to(record.kind);
    json.at("baseModel").get_to(record.baseModel);
    json.at("variant").get_to(record.variant);
    json.at("prediction").get_to(record.prediction);
    json.at("title").get_to(record.title);
    json.at("author").get_to(record.author);
    json.at("licence").get_to(record.licence);
    json.at("description").get_to(record.description);
    json.at("triggerWords").get_to(record.triggerWords);
    json.at("family").get_to(record.family);
    json.at("rank").get_to(record.rank);
    json.at("problem").get_to(record.problem);
    return record;
}

Status createTables(const SqliteConnection& connection) {
    RB_TRY(connection.execute("BEGIN IMMEDIATE"));
    RB_TRY(connection.execute(fmt::format("CREATE TABLE IF NOT EXISTS {}", kTable).c_str()));
    RB_TRY(connection.execute(fmt::format("PRAGMA user_version = {}", kVersion).c_str()));
    return connection.execute("COMMIT");
}

Result<std::int64_t> versionOf(const SqliteConnection& connection) {
    RB_ASSIGN(SqliteStatement version, connection.prepare("PRAGMA user_version"));
    RB_ASSIGN(const bool isTold, version.step());
    return isTold ? version.number(0) : 0;
}

Status checkSound(const SqliteConnection& connection) {
    RB_ASSIGN(SqliteStatement check, connection.prepare("PRAGMA quick_check(1)"));
    RB_ASSIGN(const bool isAnswered, check.step());
    if (isAnswered && check.text(0) == "ok") return {};
    return fail(StatusCode::BadInput, "it is damaged");
}

/// A version alone is no promise: the file may be from elsewhere.
Status checkTable(const SqliteConnection& connection) {
    RB_ASSIGN(SqliteStatement table,
              connection.prepare("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'models'"));
    RB_ASSIGN(const bool isThere, table.step());
    // SQLite keeps the text from the name on as it was written.
    if (isThere && table.text(0) == fmt::format("CREATE TABLE {}", kTable)) return {};
    return fail(StatusCode::BadInput, "its table of models is of another make");
}

}  // namespace

Result<ModelDatabase> ModelDatabase::openSound(const fs::path& file) {
    RB_ASSIGN(SqliteConnection connection, SqliteConnection::open(file));
    RB_TRY(checkSound(connection));
    if (connection.isReadOnly()) return fail(StatusCode::Io, "it is write-protected");
    RB_ASSIGN(const std::int64_t version, versionOf(connection));
    if (version != 0 && version != kVersion) return fail(StatusCode::BadInput, "it is of another version");
    if (version == 0) RB_TRY(createTables(connection));
    RB_TRY(checkTable(connection));
    ModelDatabase database(std::move(connection));
    RB_TRY(database.records());
    return database;
}

/// In place, since another program may be writing to it.
Result<ModelDatabase> ModelDatabase::beginAnew(const fs::path& file) {
    {
        RB_ASSIGN(const SqliteConnection connection, SqliteConnection::open(file));
        RB_TRY(connection.empty());
    }
    return openSound(file);
}

Result<ModelDatabase> ModelDatabase::open(const fs::path& file) {
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    auto sound = openSound(file);
    if (sound) return sound;
    Error error = sound.error();
    if (error.code == StatusCode::BadInput) {
        auto anew = beginAnew(file);
        if (anew) {
            anew->note_ =
                fmt::format("the index of models '{}' was begun anew, since {}", file.string(), error.message);
            return anew;
        }
        error = anew.error();
    }
    RB_ASSIGN(ModelDatabase inMemory, openSound(kInMemory));
    inMemory.note_ = fmt::format(
        "the index of models '{}' cannot be kept, since {}: models are looked at again in "
        "each run",
        file.string(), error.message);
    return inMemory;
}

Result<std::vector<ModelRecord>> ModelDatabase::records() const {
    std::vector<ModelRecord> records;
    RB_ASSIGN(SqliteStatement select, connection_.prepare("SELECT path, relative, thumbnail, size_bytes, modified_ns, "
                                                          "xxh3, record FROM models ORDER BY path"));
    for (;;) {
        RB_ASSIGN(const bool more, select.step());
        if (!more) return records;
        try {
            ModelRecord record = recordFrom(select.text(6));
            record.path = select.text(0);
            record.relative = select.text(1);
            record.thumbnail = select.text(2);
            record.sizeBytes = static_cast<std::uint64_t>(select.number(3));
            record.modifiedNs = select.number(4);
            record.xxh3 = select.text(5);
            records.push_back(std::move(record));
        } catch (const nlohmann::json::exception& exception) {
            return fail(StatusCode::BadInput, fmt::format("one of its records is damaged: {}", exception.what()));
        }
    }
}

Status ModelDatabase::update(const std::vector<ModelRecord>& changed, const std::vector<fs::path>& removed) {
    if (changed.empty() && removed.empty()) return {};
    RB_TRY(connection_.execute("BEGIN IMMEDIATE"));
    const auto write = [&]() -> Status {
        RB_ASSIGN(SqliteStatement insert, connection_.prepare(kInsert));
        for (const ModelRecord& record : changed) {
            const std::string json = toJson(record).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
            insert.bind(1, record.path.string()).bind(2, record.relative.string()).bind(3, record.thumbnail.string());
            insert.bind(4, static_cast<std::int64_t>(record.sizeBytes)).bind(5, record.modifiedNs);
            RB_TRY(insert.bind(6, record.xxh3).bind(7, json).run());
        }
        RB_ASSIGN(SqliteStatement erase, connection_.prepare("DELETE FROM models WHERE path = ?1"));
        for (const fs::path& path : removed) RB_TRY(erase.bind(1, path.string()).run());
        return {};
    };
    if (const Status written = write(); !written) {
        (void)connection_.execute("ROLLBACK");
        return written;
    }
    return connection_.execute("COMMIT");
}

Status ModelDatabase::setHash(const ModelRecord& record, const std::string& xxh3) {
    RB_ASSIGN(SqliteStatement set, connection_.prepare("UPDATE models SET xxh3 = ?1 WHERE path = ?2 AND "
                                                       "size_bytes = ?3 AND modified_ns = ?4"));
    set.bind(1, xxh3).bind(2, record.path.string());
    return set.bind(3, static_cast<std::int64_t>(record.sizeBytes)).bind(4, record.modifiedNs).run();
}

}  // namespace reelbrush::library
