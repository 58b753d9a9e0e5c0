#pragma once

#include "engine/core/status.h"
#include "engine/diffusion/networks/unet_config.h"
#include "engine/diffusion/painting_setup.h"
#include "engine/diffusion/sampling/few_step.h"
#include "engine/diffusion/sampling/sampler_settings.h"
#include "engine/diffusion/text/prompt_encoder.h"
#include "engine/weights/diffusion_model.h"
#include "engine/weights/lora_dictionary.h"

#include <optional>
#include <string>
#include <vector>

namespace reelbrush::diffusion {

/// A model of SD 1.5, SD 2.x or SDXL, opened and understood; nothing of it is packed yet.
struct FullModel {
    weights::DiffusionModelFiles files;
    UnetConfig unetConfig;
    SamplerSettings sampling;        ///< what the model was trained for
    std::vector<std::string> notes;  ///< sentences for the user

    bool isEditing() const { return files.variant == weights::ModelVariant::InstructPix2Pix; }
    bool isInpainting() const { return files.variant == weights::ModelVariant::Inpainting; }
    TextFamily textFamily() const;
    /// "unet", "text_encoder", "text_encoder_2": what LoRAs are matched with.
    weights::ModelParts parts() const;

    /// Errors: as weights::openDiffusionModel, requireWholeModel, UnetConfig::fromJson, settingsFromSchedulerConfig.
    static Result<FullModel> open(const PaintingSetup& setup);
};

/// True for a folder that is a starter model: it brings its own image encoder and no text encoder.
bool isStarterModel(const std::filesystem::path& model);

/// What a distilled model, or one of the LoRAs and motion modules of a setup, wants to be sampled with; nothing where
/// none is distilled. Reads headers only. Errors: as FullModel::open and weights::LoraFile::open.
Result<std::optional<FewStepChoice>> fewStepChoiceFor(const PaintingSetup& setup);

}  // namespace reelbrush::diffusion
