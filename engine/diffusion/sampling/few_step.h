#pragma once

#include "engine/diffusion/sampling/sampler_settings.h"

#include <map>
#include <optional>
#include <string>

namespace reelbrush::diffusion {

/// What is known of a file that may have been distilled to few steps.
struct FewStepEvidence {
    std::string fileName;                           ///< with or without folder and extension
    std::map<std::string, std::string> metadata{};  ///< of the safetensors file
    bool isBaseModel = false;                       ///< a whole model or motion module; otherwise a LoRA
};

/// How a distilled model wants to be sampled.
struct FewStepChoice {
    SamplerSettings settings;
    int steps = 4;
    float guidance = 1.0f;     ///< 1: a single pass a step
    bool setsGuidance = true;  ///< false: it was distilled to take guidance, so that the artist's own holds
    std::string told;          ///< one sentence for the artist: what was found and what is set
};

/// Recognises LCM, TCD, Hyper-SD, Lightning, DMD2 and Turbo by their names: of the file, or the titles in its metadata.
/// Words that also name motifs (hyper, lightning, turbo) count for a LoRA only beside a number of steps or the name of
/// a base model, as in 'sdxl_lightning_4step_lora'.
/// modelBasis: the base model's own settings, of which noise schedule and prediction are kept.
std::optional<FewStepChoice> fewStepChoice(const FewStepEvidence& evidence, const SamplerSettings& modelBasis);

}  // namespace reelbrush::diffusion
