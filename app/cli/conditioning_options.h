#pragma once

#include "engine/core/status.h"
#include "engine/styles/style_card.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace reelbrush::cli {

/// What a full diffusion model is given, as typed; what stays empty follows the style card.
struct ConditioningArguments {
    std::string model, vae, textEncoder;
    std::optional<std::string> prompt, negative;
    std::string sampler;
    std::vector<std::string> controls;
    std::string ipAdapter, imageEncoder, motion;
    bool styleOnly = false;
    std::string promptWeights, noise;
    std::optional<int> clipSkip;
    std::optional<double> guidanceFalloff, guidanceRescale, imageGuidance, queryBlend, temperature;
};

void addConditioningOptions(CLI::App& verb, ConditioningArguments& arguments);

/// A control: "[PREPROCESSOR=]MODEL[:STRENGTH[:START-END]]", such as canny=control_v11p_sd15_canny:0.8:0-0.6.
/// Errors: BadInput.
Result<styles::StyleControl> parseControl(const std::string& text);

/// Puts the arguments into the card. Errors: BadInput, about the command line.
Status applyConditioning(const ConditioningArguments& arguments, styles::StyleCard& card);

}  // namespace reelbrush::cli
