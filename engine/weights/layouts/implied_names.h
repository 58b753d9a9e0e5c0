#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace reelbrush::weights {

/// Names of all weights that a network of this configuration has; sorted. Nothing where the configuration lacks a field
/// that names depend on, or has it in a form that is not built (whoever builds the graph then says which).
using ImpliedNames = std::optional<std::vector<std::string>>;

/// UNet2DConditionModel. Source of all four: the modules of diffusers and transformers.
ImpliedNames impliedUnetNames(const nlohmann::json& config);
ImpliedNames impliedControlNetNames(const nlohmann::json& config);
/// AutoencoderKL; nothing for other kinds.
ImpliedNames impliedVaeNames(const nlohmann::json& config);
/// CLIPTextModel; of CLIPTextModelWithProjection where "architectures" says so.
ImpliedNames impliedTextEncoderNames(const nlohmann::json& config);

}  // namespace reelbrush::weights
