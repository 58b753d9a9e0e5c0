#pragma once

#include "engine/core/status.h"
#include "engine/weights/mapped_file.h"
#include "engine/weights/safetensors_header.h"

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::weights {

/// One safetensors file: mapped, checked, its tensors found by name. The file is never copied; views live as long as
/// this object. Immutable, thread-safe.
class SafetensorsFile {
  public:
    /// Errors: Io, BadInput and Unsupported (pickles and other foreign formats say what to do instead).
    static Result<std::shared_ptr<const SafetensorsFile>> open(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return file_->path(); }
    std::size_t sizeBytes() const { return file_->bytes().size(); }
    /// Sorted by name.
    const std::vector<TensorInfo>& tensors() const { return header_.tensors; }
    const std::map<std::string, std::string, std::less<>>& metadata() const { return header_.metadata; }

    /// Null where there is no such tensor.
    const TensorInfo* find(std::string_view name) const;
    /// The stored bytes, little-endian, row-major, of any alignment. info: one of this file's.
    std::span<const std::byte> bytesOf(const TensorInfo& info) const;
    std::span<const std::byte> allBytes() const { return file_->bytes(); }
    /// See MappedFile::dropPages.
    void dropPages() const { file_->dropPages(); }

  private:
    SafetensorsFile(std::shared_ptr<const MappedFile> file, SafetensorsHeader header);

    std::shared_ptr<const MappedFile> file_;
    SafetensorsHeader header_;
};

}  // namespace reelbrush::weights
