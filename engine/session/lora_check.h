#pragma once

#include "engine/core/status.h"

#include <filesystem>
#include <string>

namespace reelbrush::session {

/// How much of a LoRA would reach a model's UNet and text encoders: "78 of 78 modules applied". Computes nothing.
/// Errors: as weights::LoraFile::open and weights::matchLora.
Result<std::string> loraCoverage(const std::filesystem::path& lora, const std::filesystem::path& modelFolder);

}  // namespace reelbrush::session
