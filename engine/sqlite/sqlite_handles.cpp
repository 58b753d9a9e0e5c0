#include "engine/sqlite/sqlite_handles.h"

#include <fmt/format.h>

namespace reelbrush::sqlite {

namespace {

/// How long another program that writes the same file is waited for.
constexpr int kBusyMs = 10'000;

tl::unexpected<Error> sqliteError(sqlite3* connection, const char* what) {
    const int code = connection ? sqlite3_errcode(connection) : SQLITE_NOMEM;
    const bool isDamage = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
    return fail(isDamage ? StatusCode::BadInput : StatusCode::Io,
                fmt::format("it cannot {}: {}", what, connection ? sqlite3_errmsg(connection) : "not enough memory"));
}

}  // namespace

SqliteStatement& SqliteStatement::bind(int parameter, std::string_view text) {
    sqlite3_bind_text(statement_.get(), parameter, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    return *this;
}

SqliteStatement& SqliteStatement::bind(int parameter, std::int64_t number) {
    sqlite3_bind_int64(statement_.get(), parameter, number);
    return *this;
}

Result<bool> SqliteStatement::step() {
    switch (sqlite3_step(statement_.get())) {
        case SQLITE_ROW:
            return true;
        case SQLITE_DONE:
            return false;
        default:
            return sqliteError(connection_, "be read or written");
    }
}

Status SqliteStatement::run() {
    for (bool more = true; more;) {
        RB_ASSIGN(more, step());
    }
    sqlite3_reset(statement_.get());
    return {};
}

std::string SqliteStatement::text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
    return bytes ? std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)))
                 : std::string();
}

Result<SqliteConnection> SqliteConnection::open(const std::filesystem::path& file) {
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(file.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    SqliteConnection connection;
    connection.connection_.reset(raw);
    if (code != SQLITE_OK) return sqliteError(raw, "be opened");
    sqlite3_busy_timeout(raw, kBusyMs);
    // Nobody waits for the disk. A program that is killed does no harm, and a machine that loses power leaves at worst
    // a file that is begun anew. No write-ahead log: it does not work where the cache lies on another machine.
    (void)connection.execute("PRAGMA synchronous = OFF");  // of a damaged file it fails, as all that follows
    return connection;
}

Status SqliteConnection::empty() const {
    (void)execute("SELECT count(*) FROM sqlite_master");  // SQLite wants to have seen the file before, whole or not
    sqlite3_db_config(connection_.get(), SQLITE_DBCONFIG_RESET_DATABASE, 1, nullptr);
    Status emptied = execute("VACUUM");
    sqlite3_db_config(connection_.get(), SQLITE_DBCONFIG_RESET_DATABASE, 0, nullptr);
    return emptied;
}

Result<SqliteStatement> SqliteConnection::prepare(std::string_view sql) const {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(connection_.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr) !=
        SQLITE_OK)
        return sqliteError(connection_.get(), "be asked");
    return SqliteStatement(connection_.get(), statement);
}

Status SqliteConnection::execute(const char* sql) const {
    if (sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
        return sqliteError(connection_.get(), "be read or written");
    return {};
}

}  // namespace reelbrush::sqlite
