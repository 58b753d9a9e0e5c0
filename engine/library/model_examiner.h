#pragma once

#include "engine/library/model_record.h"
#include "engine/library/model_scanner.h"

#include <filesystem>

namespace reelbrush::library {

/// Looks into a candidate: reads headers, metadata and what lies beside it. Never fails: ModelRecord::problem says why
/// a model cannot be used. thumbnailFolder: where pictures are put that lie inside of model files.
ModelRecord examine(const ModelCandidate& candidate, const std::filesystem::path& thumbnailFolder);

/// The same for a file or folder anywhere: ModelRecord::relative is its name alone.
ModelRecord examineAt(const std::filesystem::path& path, const std::filesystem::path& thumbnailFolder);

}  // namespace reelbrush::library
