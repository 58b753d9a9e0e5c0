#pragma once

#include "engine/core/cancel_token.h"
#include "engine/core/status.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace reelbrush::session {

/// What a model is wanted for.
enum class ModelRole { Base, Vae, TextEncoder, Lora, ControlNet, IpAdapter, ImageEncoder, Motion };

/// Finds the file or folder that a name or a path stands for. Errors: BadInput, saying what there is; Cancelled.
using ModelLocator = std::function<Result<std::filesystem::path>(ModelRole role, const std::string& nameOrPath,
                                                                 const CancelToken& cancel)>;

/// A path where something lies there; a bundled or user's model folder by its name; else a name in the user's model
/// library, which is opened when it is first needed. Thread-safe.
ModelLocator libraryLocator();

}  // namespace reelbrush::session
