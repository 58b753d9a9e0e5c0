#pragma once

#include "engine/core/cancel_token.h"
#include "engine/core/status.h"
#include "engine/weights/safetensors_file.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace reelbrush::library {

/// Which SHA-256 of a file are computed; each costs more than reading the file.
struct WantedDigests {
    bool sha256 = false, tensorsSha256 = false;
};

/// Lower-case hex digits, empty where not wanted.
struct FileDigests {
    std::string sha256;         ///< of the whole file; its first ten digits are what Civitai calls AutoV2
    std::string tensorsSha256;  ///< of what lies behind the header
};

/// Hashes the weights files of one model, in their order. Streams: needs no memory of the files' size, and gives the
/// pages back. Thread: one at a time.
class ModelDigester {
  public:
    /// told: how many bytes were read since it was told last. Cancelled between chunks.
    ModelDigester(const CancelToken& cancel, std::function<void(std::uint64_t)> told);
    ~ModelDigester();

    /// Errors: Cancelled; OutOfMemory.
    Result<FileDigests> add(const weights::SafetensorsFile& file, const WantedDigests& wanted);
    /// XXH3-128 of all files so far, as weights::ModelInspection::xxh3.
    std::string xxh3() const;

  private:
    struct State;
    const CancelToken cancel_;
    const std::function<void(std::uint64_t)> told_;
    std::unique_ptr<State> state_;
};

}  // namespace reelbrush::library
