#pragma once

#include "engine/diffusion/text/prompt_encoder.h"

#include <filesystem>
#include <memory>
#include <string>

namespace reelbrush::testing {

/// A text encoder of a tiny single-file model, its weights under transformers' names whether they are stored so (behind
/// `prefix`) or as OpenCLIP has them. Throws where the file cannot be read.
std::shared_ptr<const weights::ListedWeights> fixtureTextWeights(const std::filesystem::path& file,
                                                                 const std::string& prefix, int layers);

/// The configuration of the tiny models' first text encoder (three layers, 16 wide).
nlohmann::json tinyTextConfig();

/// sd15-tiny's, which comes with the repository.
diffusion::TextEncoderPart tinyTextEncoder();

}  // namespace reelbrush::testing
