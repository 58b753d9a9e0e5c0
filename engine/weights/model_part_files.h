#pragma once

#include "engine/core/status.h"
#include "engine/weights/diffusion_model.h"

#include <filesystem>
#include <string>

namespace reelbrush::weights {

/// Each function below takes a safetensors file or shard index, a folder with the part's config.json, or a whole model
/// (checkpoint or diffusers folder) that the part is taken from. A sidecar NAME.json beside NAME.safetensors may hold
/// configuration fields that replace inferred ones: {"vae": {...}}, {"text_encoder": {...}}.
/// Errors of all: as ModelWeights::open; BadInput where the path holds no such part, saying what it is instead.

/// An AutoencoderKL or AutoencoderTiny (TAESD, in diffusers' or its original files; of two halves name either).
/// usedWith: decides the scaling factor where no config.json states it; VAEs of both families look alike.
Result<ModelPart> openVae(const std::filesystem::path& path, BaseFamily usedWith = BaseFamily::Sd15);

/// What a text encoder is wanted for: the one of SD 1.5 and the first of SDXL; the one of SD 2.x (without its last
/// layer); the second of SDXL (with projection).
enum class TextEncoderRole { ClipL, Sd2, SdxlSecond };

Result<ModelPart> openTextEncoder(const std::filesystem::path& path, TextEncoderRole role);

struct ControlNetFiles {
    std::filesystem::path path;
    ModelPart part;  ///< names and configuration of diffusers' ControlNetModel
    BaseFamily family = BaseFamily::Sd15;
    std::vector<std::string> unreadTensors;  ///< see unreadWarning()
};

/// A ControlNet under LDM names (with or without "control_model.") or diffusers names.
/// Errors: also Unsupported for its relatives, named: Control-LoRA, ControlLLLite, T2I-Adapter, union ControlNets.
Result<ControlNetFiles> openControlNet(const std::filesystem::path& path);

}  // namespace reelbrush::weights
