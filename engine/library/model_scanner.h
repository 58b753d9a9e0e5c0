#pragma once

#include "engine/core/cancel_token.h"
#include "engine/core/status.h"
#include "engine/library/model_record.h"

#include <filesystem>
#include <vector>

namespace reelbrush::library {

/// Something that may be a model, found by its place and ending alone.
struct ModelCandidate {
    std::filesystem::path path, relative;
    std::uint64_t sizeBytes = 0;
    std::int64_t modifiedNs = 0;
};

/// Walks a folder and all below it (links to folders too, each once): safetensors files, shard indexes, folders in the
/// diffusers layout (whose inside is not walked), pickles and GGUF files (to say why they are not used). Hidden files,
/// shards that an index names, and what cannot be read are passed over.
/// Errors: Cancelled.
Result<std::vector<ModelCandidate>> findCandidates(const std::filesystem::path& root, const CancelToken& cancel);

/// Looks into a candidate: reads headers and metadata only. Never fails: ModelRecord::problem says why.
/// thumbnailFolder: where pictures are put that lie inside of model files.
ModelRecord examine(const ModelCandidate& candidate, const std::filesystem::path& thumbnailFolder);

}  // namespace reelbrush::library
