#pragma once

#include "engine/core/cancel_token.h"
#include "engine/core/status.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace reelbrush::library {

struct VerifyOptions {
    std::string knownXxh3;  ///< of an earlier verification; empty: none
    bool sha256 = false;    ///< compute the SHA-256 of a model in a single file also where nothing is published
    CancelToken cancel{};
    /// Bytes that were read, and that are to be; each byte counts twice, since values are looked at after hashing.
    std::function<void(std::uint64_t done, std::uint64_t total)> progress{};
};

/// What reading every byte of a model brought to light.
struct ModelVerification {
    std::string xxh3;                   ///< as ModelRecord::xxh3; empty where the model cannot be opened
    std::string sha256;                 ///< of a model in a single file, where it was computed; 64 hex digits
    std::vector<std::string> agreed;    ///< published hashes that agree: where they were found
    std::vector<std::string> problems;  ///< sentences; empty where the model is sound
};

/// Reads a file, a shard index or a folder in the diffusers layout from end to end: it must be complete, every value a
/// finite number, and its hash the one that is known and those that were published (see publishedHashes).
/// Blocks for as long as reading takes. Errors: Cancelled; all else is a problem of the model.
Result<ModelVerification> verifyModel(const std::filesystem::path& model, const VerifyOptions& options);

}  // namespace reelbrush::library
