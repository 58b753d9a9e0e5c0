#pragma once

#include "engine/core/status.h"
#include "engine/library/model_record.h"

#include <filesystem>
#include <string>
#include <vector>

namespace reelbrush::library {

/// A name that an artist wrote, and what it is to stand for.
struct NameQuery {
    std::string name;                ///< ModelRecord::name() or the end of it from a slash on; with the ending or not
    std::vector<std::string> kinds;  ///< ModelRecord::kind that will do; empty: any
};

/// The record that a name stands for: of the first folder that has one of a kind that will do. Capitals matter only
/// where two differ by nothing else. Links to one file count as one. folders: those of the library, first wins.
/// Errors: BadInput where there is none (with the names that come near), where there are only others than wanted,
/// where it cannot be used, or where two files of one folder have the name (with both).
Result<ModelRecord> recordNamed(const NameQuery& query, const std::vector<ModelRecord>& records,
                                const std::vector<std::filesystem::path>& folders);

}  // namespace reelbrush::library
