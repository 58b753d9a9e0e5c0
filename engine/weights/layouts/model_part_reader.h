#pragma once

#include "engine/core/status.h"
#include "engine/weights/diffusion_model.h"
#include "engine/weights/layouts/text_inference.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::weights {

/// One part found among stored tensors. Errors of all readers: BadInput and Unsupported as of the inference of its
/// configuration; without a file's name.
struct ReadPart {
    ModelPart part;                   ///< weights null where there are none
    std::vector<std::string> unread;  ///< stored names under the part's prefix that its naming does not know
};

/// Under LDM names with or without their prefix, or under diffusers names. config: where it is known already, else
/// empty and inferred. pooledWidth: see UnetInference.
Result<ReadPart> readUnet(const std::shared_ptr<const ListedWeights>& stored, const nlohmann::json& config,
                          std::int64_t pooledWidth);

/// AutoencoderKL under LDM names (first_stage_model., vae., none) or diffusers names, or AutoencoderTiny.
Result<ReadPart> readVae(const std::shared_ptr<const ListedWeights>& stored, const nlohmann::json& config,
                         double scalingFactor);

/// A text encoder under the names of transformers.
Result<ReadPart> readClipText(const std::shared_ptr<const ListedWeights>& stored, std::string_view prefix,
                              const nlohmann::json& config, TextEncoderKind kind);

/// A text encoder under the names of OpenCLIP. withoutLastLayer: SD 2.x reads the state before the last layer, so
/// neither it nor the projection belongs to the part.
Result<ReadPart> readOpenClipText(const std::shared_ptr<const ListedWeights>& stored, std::string_view prefix,
                                  bool withoutLastLayer);

}  // namespace reelbrush::weights
