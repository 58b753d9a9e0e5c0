#pragma once

#include "engine/core/status.h"
#include "engine/weights/base_family.h"
#include "engine/weights/listed_weights.h"

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace reelbrush::weights {

/// One network of a model: its weights under the names of diffusers (UNet, VAE, ControlNet, motion adapter) or
/// transformers (text encoders), and its configuration in the form of their config.json.
struct ModelPart {
    std::shared_ptr<const ListedWeights> weights;  ///< null where the model lacks the part
    nlohmann::json config = nlohmann::json::object();
};

/// A whole Stable Diffusion model, mapped and named, with nothing of it computed yet.
struct DiffusionModelFiles {
    std::filesystem::path path;
    BaseFamily family = BaseFamily::Sd15;
    ModelVariant variant = ModelVariant::Plain;
    ModelPart unet;          ///< always there
    ModelPart vae;           ///< AutoencoderKL, or AutoencoderTiny where a folder or an option brings one
    ModelPart textEncoder;   ///< CLIP-L; OpenCLIP in SD 2.x
    ModelPart textEncoder2;  ///< OpenCLIP of SDXL
    /// In the form of scheduler_config.json. Of a single file: DDIM, scaled_linear betas from 0.00085 to 0.012,
    /// steps_offset 1; prediction_type and rescale_betas_zero_snr as in OpenModelOptions::prediction.
    nlohmann::json schedulerConfig = nlohmann::json::object();
    /// Stored names of tensors that no part knows; see unreadWarning().
    std::vector<std::string> unreadTensors;
};

struct OpenModelOptions {
    /// Where Auto, a single file's prediction is, in this order: what the tensor `v_pred` marks; what the metadata say
    /// (modelspec.prediction_type, modelspec.architecture); for SD 2.x the spread of one bias that tells the published
    /// v-prediction models from the others; else epsilon. The tensor `ztsnr` marks a zero terminal SNR.
    Prediction prediction = Prediction::Auto;
    /// Parts to take from elsewhere; each a file or folder as openVae and openTextEncoder take.
    /// A whole SDXL model as textEncoder brings the second one too, where it lacks.
    std::filesystem::path vae, textEncoder, textEncoder2;
    /// Fields that replace inferred or stored ones, by part: {"unet": {...}, "vae", "text_encoder", "text_encoder_2",
    /// "scheduler"}. Applied after those of a sidecar: a file NAME.json of the same form beside NAME.safetensors, whose
    /// other keys are ignored.
    nlohmann::json configOverrides = nlohmann::json::object();
};

/// Opens a model of SD 1.5, SD 2.x or SDXL: a safetensors file or shard index with LDM names, a UNet alone under LDM or
/// diffusers names, or a folder in the diffusers layout. Maps files and reads headers only. Parts other than the UNet
/// may be missing: see requireWholeModel.
/// Errors: as ModelWeights::open and DiffusersFolder::open; Unsupported for models of other kinds (named: SDXL refiner,
/// SD 3, Flux, unCLIP ...); BadInput for what is no model (named), and for parts that do not fit each other.
Result<DiffusionModelFiles> openDiffusionModel(const std::filesystem::path& path, const OpenModelOptions& options = {});

/// Errors: BadInput where a text encoder or the VAE is missing, saying which and how to bring it along.
Status requireWholeModel(const DiffusionModelFiles& model);

/// One sentence about tensors that are not read, the first few named; empty where there are none.
std::string unreadWarning(const std::filesystem::path& path, const std::vector<std::string>& unreadTensors);

}  // namespace reelbrush::weights
