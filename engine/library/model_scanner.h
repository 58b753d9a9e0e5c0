#pragma once

#include "engine/core/cancel_token.h"
#include "engine/core/status.h"
#include "engine/library/model_endings.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace reelbrush::library {

/// Something that may be a model, found by its place and name alone.
struct ModelCandidate {
    std::filesystem::path path, relative;  ///< as in ModelRecord
    std::uint64_t sizeBytes = 0;
    std::int64_t modifiedNs = 0;
    std::uint64_t companions = 0;           ///< of names, sizes and dates of the files beside it that tell of it
    FileForm form = FileForm::Safetensors;  ///< of a folder in the diffusers layout: Other
};

/// What lies in a folder of the library.
struct FolderScan {
    bool isThere = false;  ///< the folder could be read
    std::vector<ModelCandidate> candidates;
    std::vector<std::string> notes;  ///< sentences about folders that could not be read
};

/// Walks a folder and all below it (links to folders too, each once): safetensors files, shard indexes, folders in the
/// diffusers layout, of whole models or of one part; and to say why they are not used, pickles, GGUF files and
/// downloads that were not finished. Of a diffusers folder only its subfolder "loras" is walked. Hidden files and
/// shards that an index names are passed over.
/// Errors: Cancelled.
Result<FolderScan> scanFolder(const std::filesystem::path& root, const CancelToken& cancel);

/// A folder in the diffusers layout that holds a whole model, not a tree of ComfyUI or A1111 whose subfolders look so.
bool isWholeModel(const std::filesystem::path& folder);

}  // namespace reelbrush::library
