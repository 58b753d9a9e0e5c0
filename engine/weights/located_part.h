#pragma once

#include "engine/core/status.h"
#include "engine/weights/model_weights.h"

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

namespace reelbrush::weights {

/// Where one part of a model was found: its weights as stored, and its configuration where a file states it.
struct LocatedPart {
    std::filesystem::path path;  ///< for messages
    std::shared_ptr<const ModelWeights> weights;
    nlohmann::json config = nlohmann::json::object();     ///< from config.json; empty where there is none
    nlohmann::json overrides = nlohmann::json::object();  ///< fields of a sidecar
};

/// path: a safetensors file or shard index (with the config.json beside it where it has the name of a diffusers part),
/// a part's folder, or a model folder with a subfolder `part`. part: "vae", "text_encoder" ...
/// Errors: as ModelWeights::open and DiffusersFolder; BadInput for a sidecar that is damaged.
Result<LocatedPart> locatePart(const std::filesystem::path& path, const char* part);

/// "'the/file' holds no ControlNet: it is a LoRA", for a part that was found where another was wanted.
tl::unexpected<Error> notSuchAPart(const LocatedPart& located, const char* wanted);

}  // namespace reelbrush::weights
