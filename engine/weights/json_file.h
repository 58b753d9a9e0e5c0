#pragma once

#include "engine/core/status.h"

#include <filesystem>
#include <nlohmann/json.hpp>

namespace reelbrush::weights {

/// Reads a whole file that must hold one JSON object: a model's config.json or a shard index.
/// Errors: Io (missing, unreadable), BadInput (larger than 64 MiB, not JSON, bad UTF-8, not an object), with the path.
Result<nlohmann::json> readJsonObject(const std::filesystem::path& path);

}  // namespace reelbrush::weights
