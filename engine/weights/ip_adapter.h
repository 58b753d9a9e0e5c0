#pragma once

#include "engine/core/status.h"
#include "engine/weights/diffusion_model.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace reelbrush::weights {

/// An IP-Adapter under the names of layouts/ip_adapter_names.h.
struct IpAdapterFiles {
    std::filesystem::path path;
    std::shared_ptr<const ListedWeights> weights;
    BaseFamily family = BaseFamily::Sd15;    ///< told from the number of attentions and the tokens' width
    int attentions = 16;                     ///< cross-attentions that it adds to
    int contextChannels = 768;               ///< width of its tokens: that of the model's text
    std::vector<std::string> unreadTensors;  ///< see unreadWarning()
};

/// path: a safetensors file. Errors: as ModelWeights::open; BadInput where it is no IP-Adapter, saying what it is, or
/// is incomplete; Unsupported for FaceID, which wants a face recogniser.
Result<IpAdapterFiles> openIpAdapter(const std::filesystem::path& path);

/// The CLIP image encoder that an IP-Adapter looks with: a safetensors file or shard index, a folder with config.json,
/// or a model folder with a subfolder "image_encoder". Without config.json its configuration is inferred.
/// Errors: as ModelWeights::open; BadInput where the path holds none, saying what it is instead.
Result<ModelPart> openImageEncoder(const std::filesystem::path& path);

}  // namespace reelbrush::weights
