#pragma once

#include "engine/core/status.h"
#include "engine/weights/model_weights.h"

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace reelbrush::weights {

/// One part of a model in the diffusers layout: a folder with a configuration and, for networks, weights.
struct DiffusersComponent {
    std::string name;  ///< the folder's name: "unet", "vae", "scheduler", "text_encoder_2" ...
    std::filesystem::path folder;
    std::filesystem::path configFile;
    nlohmann::json config;              ///< an object
    std::filesystem::path weightsFile;  ///< a safetensors file or a shard index; empty for a scheduler

    /// Errors: BadInput where the part has no weights file (naming what was looked for); as ModelWeights::open.
    Result<std::shared_ptr<const ModelWeights>> openWeights() const;
};

/// Reads one part's folder (config.json or scheduler_config.json, then the weights: full precision before fp16,
/// one file before shards). A part without weights is no error here.
/// Errors: Io, BadInput (no configuration, damaged configuration).
Result<DiffusersComponent> readDiffusersComponent(const std::filesystem::path& folder);

/// A model in the diffusers layout: a folder whose subfolders are its parts. Immutable.
class DiffusersFolder {
  public:
    /// True where at least one subfolder of `unet`, `vae`, `scheduler`, `transformer` holds a configuration.
    static bool isOne(const std::filesystem::path& folder);
    /// Errors: Io, BadInput (not such a folder; a damaged configuration).
    static Result<DiffusersFolder> open(const std::filesystem::path& folder);

    const std::filesystem::path& folder() const { return folder_; }
    const std::map<std::string, DiffusersComponent, std::less<>>& components() const { return components_; }
    bool has(std::string_view component) const { return components_.contains(component); }
    /// The pointer lives as long as this object.
    /// Errors: BadInput naming the part and the parts that are there.
    Result<const DiffusersComponent*> component(std::string_view name) const;
    /// Weights that lie beside the parts, such as image_proj.safetensors. Errors: BadInput where missing.
    Result<std::shared_ptr<const ModelWeights>> openLooseWeights(std::string_view fileName) const;

  private:
    std::filesystem::path folder_;
    std::map<std::string, DiffusersComponent, std::less<>> components_;
};

}  // namespace reelbrush::weights
