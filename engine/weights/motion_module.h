#pragma once

#include "engine/core/status.h"
#include "engine/weights/diffusion_model.h"

#include <filesystem>
#include <string>
#include <vector>

namespace reelbrush::weights {

/// Which generation of AnimateDiff a motion module is.
enum class MotionVersion { V1, V2, V3, Sdxl, AnimateLcm };

/// "v1", "v2", "v3", "SDXL", "AnimateLCM".
const char* nameOf(MotionVersion version);

/// A motion module, under the names of diffusers' MotionAdapter and with a configuration in the form of its
/// config.json.
struct MotionModuleFiles {
    std::filesystem::path path;
    ModelPart part;
    BaseFamily family = BaseFamily::Sd15;  ///< Sd15 or Sdxl
    MotionVersion version = MotionVersion::V1;
    bool hasMiddle = false;  ///< modules in the UNet's middle block
    /// Frames that the stored position embeddings ("...pos_embed.pe" [1, positions, channels]) reach. 0 where none are
    /// stored, as in AnimateLCM: they are then sinusoids, computed for motion_max_seq_length frames.
    int positions = 0;
    std::vector<std::string> unreadTensors;  ///< see unreadWarning()
};

/// path: a safetensors file (AnimateDiff's own names or those of diffusers), or a folder with config.json.
/// Errors: as ModelWeights::open; BadInput where it is no motion module, saying what it is; Unsupported for a motion
/// LoRA.
Result<MotionModuleFiles> openMotionModule(const std::filesystem::path& path);

}  // namespace reelbrush::weights
