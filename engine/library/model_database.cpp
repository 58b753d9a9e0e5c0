#include "engine/library/model_database.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

namespace reelbrush::library {

namespace {

namespace fs = std::filesystem;

constexpr int kVersion = 1;

nlohmann::json toJson(const ModelRecord& record) {
    return {{"relative", record.relative.string()},
            {"sizeBytes", record.sizeBytes},
            {"modifiedNs", record.modifiedNs},
            {"kind", record.kind},
            {"baseModel", record.baseModel},
            {"variant", record.variant},
            {"prediction", record.prediction},
            {"title", record.title},
            {"author", record.author},
            {"licence", record.licence},
            {"description", record.description},
            {"triggerWords", record.triggerWords},
            {"family", record.family},
            {"rank", record.rank},
            {"thumbnail", record.thumbnail.string()},
            {"xxh3", record.xxh3},
            {"problem", record.problem}};
}

ModelRecord recordFrom(const std::string& path, const nlohmann::json& json) {
    ModelRecord record;
    record.path = path;
    record.relative = json.at("relative").get<std::string>();
    json.at("sizeBytes").get_to(record.sizeBytes);
    json.at("modifiedNs").get_to(record.modifiedNs);
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
    record.thumbnail = json.at("thumbnail").get<std::string>();
    json.at("xxh3").get_to(record.xxh3);
    json.at("problem").get_to(record.problem);
    return record;
}

Status createTables(const SqliteConnection& connection) {
    RB_TRY(connection.execute("CREATE TABLE IF NOT EXISTS models (path TEXT PRIMARY KEY, record TEXT NOT NULL)"));
    return connection.execute(fmt::format("PRAGMA user_version = {}", kVersion).c_str());
}

}  // namespace

Result<ModelDatabase> ModelDatabase::openSound(const fs::path& file) {
    RB_ASSIGN(SqliteConnection connection, SqliteConnection::open(file));
    RB_ASSIGN(SqliteStatement check, connection.prepare("PRAGMA quick_check(1)"));
    RB_ASSIGN(const bool answered, check.step());
    if (!answered || check.text(0) != "ok") return fail(StatusCode::BadInput, "it is damaged");
    RB_ASSIGN(SqliteStatement version, connection.prepare("PRAGMA user_version"));
    RB_ASSIGN(const bool hasVersion, version.step());
    const std::int64_t found = hasVersion ? version.number(0) : 0;
    if (found != 0 && found != kVersion) return fail(StatusCode::BadInput, "it is of another version");
    RB_TRY(createTables(connection));
    ModelDatabase database(std::move(connection));
    RB_TRY(database.records());
    return database;
}

Result<ModelDatabase> ModelDatabase::open(const fs::path& file) {
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    auto sound = openSound(file);
    if (sound) return sound;
    const std::string why = sound.error().message;
    fs::remove(file, ignored);
    auto anew = openSound(file);
    if (anew) {
        anew->note_ = fmt::format("the index of models '{}' was begun anew, since {}", file.string(), why);
        return anew;
    }
    RB_ASSIGN(ModelDatabase inMemory, openSound(":memory:"));
    inMemory.note_ = fmt::format("the index of models '{}' cannot be kept ({}): models are looked at again in each run",
                                 file.string(), anew.error().message);
    return inMemory;
}

Result<std::vector<ModelRecord>> ModelDatabase::records() const {
    std::vector<ModelRecord> records;
    RB_ASSIGN(SqliteStatement select, connection_.prepare("SELECT path, record FROM models ORDER BY path"));
    for (;;) {
        RB_ASSIGN(const bool more, select.step());
        if (!more) return records;
        try {
            records.push_back(recordFrom(select.text(0), nlohmann::json::parse(select.text(1))));
        } catch (const nlohmann::json::exception& exception) {
            return fail(StatusCode::BadInput, fmt::format("one of its records is damaged: {}", exception.what()));
        }
    }
}

Status ModelDatabase::update(const std::vector<ModelRecord>& changed, const std::vector<fs::path>& removed) {
    if (changed.empty() && removed.empty()) return {};
    RB_TRY(connection_.execute("BEGIN IMMEDIATE"));
    const auto write = [&]() -> Status {
        RB_ASSIGN(SqliteStatement insert,
                  connection_.prepare("INSERT OR REPLACE INTO models (path, record) VALUES (?1, ?2)"));
        for (const ModelRecord& record : changed) {
            const std::string json = toJson(record).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
            RB_TRY(insert.bind(1, record.path.string()).bind(2, json).run());
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

}  // namespace reelbrush::library
