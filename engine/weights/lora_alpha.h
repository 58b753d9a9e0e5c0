#pragma once

#include "engine/core/status.h"
#include "engine/weights/base_model.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace reelbrush::weights {

/// What a LoRA file's metadata say about alpha: `lora_adapter_metadata` (PEFT's configuration as JSON, keys such as
/// "unet.lora_alpha", "unet.alpha_pattern", "unet.use_rslora"), then `alpha` (one number for the file).
class LoraAlphas {
  public:
    /// displayName: how errors call the file. Errors: BadInput for metadata that are there but cannot be understood: a
    /// guess would change the style's strength.
    static Result<LoraAlphas> fromMetadata(const Metadata& metadata, std::string_view displayName);

    /// component: "unet", "text_encoder" ..., empty where the file does not say. Nothing where the metadata are silent.
    /// Errors: Unsupported for an alpha_pattern that is a true regular expression, BadInput for one that is no number.
    Result<std::optional<double>> alphaOf(std::string_view component, std::string_view module) const;

    /// What the update up * down is multiplied with: alpha / rank (alpha / sqrt(rank) for rank-stabilised adapters),
    /// 1 without an alpha and for alpha 0.
    double factor(std::string_view component, std::optional<double> alpha, std::int64_t rank) const;

  private:
    const nlohmann::json* entry(std::string_view component, std::string_view key) const;

    std::string displayName_;
    nlohmann::json adapter_ = nlohmann::json::object();
    std::optional<double> fileAlpha_;
};

}  // namespace reelbrush::weights
