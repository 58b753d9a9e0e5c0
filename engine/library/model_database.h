#pragma once

#include "engine/core/status.h"
#include "engine/library/model_record.h"
#include "engine/sqlite/sqlite_handles.h"

#include <filesystem>
#include <string>
#include <vector>

namespace reelbrush::library {

using sqlite::SqliteConnection;
using sqlite::SqliteStatement;

/// The records of a library in an SQLite file. Everything in it can be found again by scanning, so that a file that is
/// damaged, of another version or not writable is no failure: it is begun anew, in memory where nothing else works.
/// Several programs may use one file. Thread: one at a time.
class ModelDatabase {
  public:
    /// file: created with its folder. Errors: Io only where not even memory can be used.
    static Result<ModelDatabase> open(const std::filesystem::path& file);

    /// A sentence where the records had to be begun anew or cannot be kept; empty otherwise.
    const std::string& note() const { return note_; }

    /// Sorted by path.
    Result<std::vector<ModelRecord>> records() const;
    /// All in one transaction: adds or replaces, and removes. A hash that is kept stays where the new record has none
    /// and is of the same size and date.
    Status update(const std::vector<ModelRecord>& changed, const std::vector<std::filesystem::path>& removed);

    /// Does nothing where the file is not kept with this size and date.
    Status setHash(const ModelRecord& record, const std::string& xxh3);

  private:
    explicit ModelDatabase(SqliteConnection connection) : connection_(std::move(connection)) {}
    static Result<ModelDatabase> openSound(const std::filesystem::path& file);
    static Result<ModelDatabase> beginAnew(const std::filesystem::path& file);

    SqliteConnection connection_;
    std::string note_;
};

}  // namespace reelbrush::library
