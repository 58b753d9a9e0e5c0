#pragma once

#include "engine/core/status.h"
#include "engine/weights/safetensors_file.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::weights {

/// A tensor and the file that it lies in.
struct StoredTensor {
    const TensorInfo* info = nullptr;
    const SafetensorsFile* file = nullptr;

    std::span<const std::byte> bytes() const { return file->bytesOf(*info); }
};

/// All tensors of one model part, whether they lie in one safetensors file or in the shards that an index names.
/// Immutable, thread-safe; tensors live as long as this object.
class StoredTensors {
  public:
    /// path: a safetensors file, or a shard index (*.json with a "weight_map") whose shards lie in the same folder.
    /// Errors: as SafetensorsFile::open; BadInput for an index that names files elsewhere, a missing shard, a tensor
    /// that its shard lacks, or a tensor that two shards hold.
    static Result<std::shared_ptr<const StoredTensors>> open(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return path_; }
    /// Sorted by name.
    const std::vector<StoredTensor>& tensors() const { return tensors_; }
    /// Null where there is no such tensor.
    const StoredTensor* find(std::string_view name) const;
    /// Of all files together; the first shard that has a key wins.
    const std::map<std::string, std::string, std::less<>>& metadata() const { return metadata_; }
    const std::vector<std::shared_ptr<const SafetensorsFile>>& files() const { return files_; }
    std::uint64_t sizeBytes() const;
    /// See MappedFile::dropPages.
    void dropPages() const;

  private:
    StoredTensors() = default;
    Status addFile(const std::filesystem::path& file);
    Status sortByName();
    Status addShards();

    std::filesystem::path path_;
    std::vector<std::shared_ptr<const SafetensorsFile>> files_;
    std::vector<StoredTensor> tensors_;
    std::map<std::string, std::string, std::less<>> metadata_;
};

}  // namespace reelbrush::weights
