#pragma once

#include "engine/core/status.h"
#include "engine/weights/safetensors_file.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace reelbrush::weights {

/// The update of one layer: dW = strength * factor * up.flatten(1) @ down.flatten(1).
struct LoraModule {
    std::string component;             ///< "unet", "text_encoder", "text_encoder_2"; empty where the file does not say
    std::string module;                ///< "down_blocks.0.resnets.0.conv1"
    const TensorInfo* down = nullptr;  ///< [rank, in] or [rank, in, kh, kw]
    const TensorInfo* up = nullptr;    ///< [out, rank] or [out, rank, 1, 1]
    std::int64_t rank = 0;             ///< rows of down, at least 1
    float factor = 1;                  ///< alpha / rank; unitless

    /// "unet.down_blocks.0.resnets.0.conv1"
    std::string fullName() const { return component.empty() ? module : component + "." + module; }
};

/// A LoRA in PEFT naming: `[base_model.model.][unet.]MODULE.lora_A[.ADAPTER].weight` and lora_B, with `.alpha` tensors
/// or alpha in the metadata. Immutable, thread-safe.
class LoraFile {
  public:
    /// Errors: as SafetensorsFile::open; Unsupported for the other families, by name; BadInput where the file is no
    /// LoRA or a pair of matrices is incomplete or does not fit together.
    static Result<std::shared_ptr<const LoraFile>> open(const std::filesystem::path& path);
    static Result<std::shared_ptr<const LoraFile>> read(std::shared_ptr<const SafetensorsFile> file);

    const std::filesystem::path& path() const { return file_->path(); }
    const SafetensorsFile& file() const { return *file_; }
    /// Sorted by full name; never empty.
    const std::vector<LoraModule>& modules() const { return modules_; }
    /// Names of tensors that belong to no module, whose effect is lost.
    const std::vector<std::string>& unreadTensors() const { return unreadTensors_; }
    /// The model it was probably made for, "SDXL"; empty where neither metadata nor shapes tell.
    const std::string& baseModel() const { return baseModel_; }

    /// The values of one of its tensors. Errors: BadInput naming the tensor where a value is NaN or infinite.
    Result<std::vector<float>> values(const TensorInfo& tensor) const;

  private:
    explicit LoraFile(std::shared_ptr<const SafetensorsFile> file) : file_(std::move(file)) {}
    Status readModules();

    std::shared_ptr<const SafetensorsFile> file_;
    std::vector<LoraModule> modules_;
    std::vector<std::string> unreadTensors_;
    std::string baseModel_;
};

}  // namespace reelbrush::weights
