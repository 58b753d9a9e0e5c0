#pragma once

#include "engine/core/status.h"
#include "engine/weights/base_model.h"

#include <filesystem>
#include <string>
#include <vector>

namespace reelbrush::library {

/// A SHA-256 that was written down for a file when it was published.
struct PublishedHash {
    std::string source;               ///< "'ink.sha256'", as a sentence names it
    std::vector<std::string> sha256;  ///< 64 lower-case hex digits; where there are several, one of them must agree
    bool ofTensors = false;           ///< of the data behind the header only, as metadata hold it
};

/// Those in FILE.sha256 ("ink.safetensors.sha256") or NAME.sha256 ("ink.sha256"), as the sha256sum program writes them;
/// in NAME.civitai.info, as Civitai Helper does; and in the metadata (modelspec.hash_sha256). Empty where there is
/// none. Errors: BadInput where a .sha256 file holds none.
Result<std::vector<PublishedHash>> publishedHashes(const std::filesystem::path& file,
                                                   const weights::Metadata& metadata);

}  // namespace reelbrush::library
