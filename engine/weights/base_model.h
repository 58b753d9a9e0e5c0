#pragma once

#include "engine/weights/safetensors_header.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace reelbrush::weights {

/// How people call the model that the product brings along.
inline constexpr const char* kStarterModelName = "Reelbrush starter";

using Metadata = std::map<std::string, std::string, std::less<>>;

/// The base model that a file's metadata name (modelspec.architecture, then ss_base_model_version), as people call it:
/// "SD 1.5", "SDXL", "Flux" ...; an unknown one in the file's own (printable) words; empty where they say nothing.
std::string baseModelFromMetadata(const Metadata& metadata);

/// The base model whose cross-attention reads tokens of this width; empty where none is known.
std::string baseModelFromContextWidth(std::int64_t width);

/// The probable base model of a LoRA of any family: from its metadata, else from its tensors; empty where unknown.
std::string baseModelOfLora(const Metadata& metadata, std::span<const TensorInfo> tensors);

}  // namespace reelbrush::weights
