#pragma once

#include "engine/core/status.h"

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace reelbrush::sqlite {

/// One prepared statement. Parameters count from 1, columns from 0. Thread: that of its connection.
class SqliteStatement {
  public:
    SqliteStatement(sqlite3* connection, sqlite3_stmt* statement) : connection_(connection), statement_(statement) {}

    SqliteStatement& bind(int parameter, std::string_view text);
    SqliteStatement& bind(int parameter, std::int64_t number);
    /// True where there is a row. Errors: as SqliteConnection.
    Result<bool> step();
    /// Runs to the end and makes it ready for other parameters.
    Status run();

    std::string text(int column) const;
    std::int64_t number(int column) const { return sqlite3_column_int64(statement_.get(), column); }

  private:
    struct Finalizer {
        void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
    };
    sqlite3* connection_;
    std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
};

/// A connection to a file that can be made again: what is written may be lost with the machine's power, and is not with
/// the program's end. Errors of each, saying what SQLite says: BadInput where the file is damaged or no database; Io.
/// Thread: one at a time.
class SqliteConnection {
  public:
    /// ":memory:" for a database that lives as long as the connection.
    static Result<SqliteConnection> open(const std::filesystem::path& file);
    Result<SqliteStatement> prepare(std::string_view sql) const;
    Status execute(const char* sql) const;
    /// The file is write-protected, or lies in a folder that is.
    bool isReadOnly() const { return sqlite3_db_readonly(connection_.get(), "main") == 1; }
    /// Makes an empty database of it, however damaged it is; other programs may have it open.
    Status empty() const;

  private:
    struct Closer {
        void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
    };
    std::unique_ptr<sqlite3, Closer> connection_;
};

}  // namespace reelbrush::sqlite
