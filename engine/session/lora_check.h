#pragma once

#include "engine/core/status.h"

#include <filesystem>
#include <string>

namespace reelbrush::session {

/// How much of a LoRA would reach a model.
struct LoraCheck {
    bool fits = false;      ///< it can be used with the model
    bool complete = false;  ///< all of it reaches the model
    /// "78 of 78 modules applied", with what is left out; where it does not fit, why.
    std::string summary;
};

/// Holds a LoRA against a model's UNet and text encoders. Computes nothing.
/// model: the starter model, or whatever weights::openDiffusionModel takes (a checkpoint, a UNet, a diffusers folder).
/// Errors: as weights::openDiffusionModel and weights::LoraFile::open.
Result<LoraCheck> checkLora(const std::filesystem::path& lora, const std::filesystem::path& model);

}  // namespace reelbrush::session
