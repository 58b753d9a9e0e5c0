#pragma once

#include "engine/weights/base_family.h"
#include "engine/weights/base_model.h"
#include "engine/weights/listed_weights.h"

#include <nlohmann/json.hpp>

namespace reelbrush::weights {

/// What a single file says about how its UNet was trained.
struct TrainingHints {
    BaseFamily family = BaseFamily::Sd15;
    ModelVariant variant = ModelVariant::Plain;
    Prediction asked = Prediction::Auto;    ///< what the user says; wins
    const ListedWeights* stored = nullptr;  ///< for the marker tensors v_pred and ztsnr
    const ListedWeights* unet = nullptr;    ///< under diffusers names
    const Metadata* metadata = nullptr;     ///< of the file
};

/// What the UNet predicts; see OpenModelOptions::prediction for the order of evidence.
Prediction inferPrediction(const TrainingHints& hints);

/// A scheduler_config.json for the model. Zero terminal SNR comes with trailing timesteps: only those reach pure noise.
nlohmann::json inferSchedulerConfig(const TrainingHints& hints);

}  // namespace reelbrush::weights
