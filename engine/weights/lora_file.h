#pragma once

#include "engine/core/status.h"
#include "engine/weights/lora_alpha.h"
#include "engine/weights/lora_module.h"
#include "engine/weights/safetensors_file.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace reelbrush::weights {

/// A LoRA, or a relative of it, of any family that isApplied(); files that mix families too. Immutable, thread-safe.
class LoraFile {
  public:
    /// Errors: as SafetensorsFile::open; Unsupported for the other families, by name; BadInput where the file is no
    /// LoRA or the tensors of a module are incomplete or do not fit together.
    static Result<std::shared_ptr<const LoraFile>> open(const std::filesystem::path& path);
    static Result<std::shared_ptr<const LoraFile>> read(std::shared_ptr<const SafetensorsFile> file);

    const std::filesystem::path& path() const { return file_->path(); }
    const SafetensorsFile& file() const { return *file_; }
    /// Sorted by component and module; never empty.
    const std::vector<LoraModule>& modules() const { return modules_; }
    /// Names of tensors that belong to no module, whose effect is lost.
    const std::vector<std::string>& unreadTensors() const { return unreadTensors_; }
    /// The model it was probably made for, "SDXL"; empty where neither metadata nor shapes tell.
    const std::string& baseModel() const { return baseModel_; }

    /// The values of one of its tensors. Errors: BadInput naming the tensor where a value is NaN or infinite.
    Result<std::vector<float>> values(const TensorInfo& tensor) const;
    /// Reads every tensor of the module and keeps nothing. Errors: as values().
    Status checkFinite(const LoraModule& module) const;
    /// See MappedFile::dropPages.
    void dropPages() const { file_->dropPages(); }

  private:
    explicit LoraFile(std::shared_ptr<const SafetensorsFile> file) : file_(std::move(file)) {}
    Status readModules();
    Status takeModule(LoraModule module, const LoraAlphas& alphas);

    std::shared_ptr<const SafetensorsFile> file_;
    std::vector<LoraModule> modules_;
    std::vector<std::string> unreadTensors_;
    std::string baseModel_;
};

}  // namespace reelbrush::weights
