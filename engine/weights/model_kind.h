#pragma once

#include "engine/weights/lora_family.h"
#include "engine/weights/stored_tensors.h"

#include <string>

namespace reelbrush::weights {

enum class ModelKind {
    Unknown,
    Checkpoint,       ///< single file in the original (LDM) layout: UNet, and most often VAE and text encoders
    Unet,             ///< diffusers layout
    Vae,              ///< AutoencoderKL, either layout
    TinyVae,          ///< AutoencoderTiny
    TextEncoder,      ///< CLIP text model
    ImageEncoder,     ///< CLIP vision model
    ImageProjection,  ///< style tokens from image features
    Lora,
    ControlNet,
    IpAdapter,
    MotionModule,
    Embedding,  ///< textual inversion
};

/// "checkpoint", "UNet", "LoRA" ...
const char* nameOf(ModelKind kind);
/// "a checkpoint", "an IP-Adapter" ...
std::string nameWithArticle(ModelKind kind);

/// What a file of weights is, as far as its names and shapes tell.
struct ModelIdentity {
    ModelKind kind = ModelKind::Unknown;
    std::string baseModel;   ///< "SD 1.5", "SDXL", "Reelbrush starter" ...; empty where unknown
    std::string variant;     ///< "inpainting", "InstructPix2Pix", "Plus", "v2" ...; empty for the plain form
    std::string prediction;  ///< "v-prediction", "v-prediction, zero terminal SNR", "CosXL"; empty where not marked
    LoraFamily loraFamily = LoraFamily::None;  ///< for LoRAs
};

/// Recognises a file by the tensors that mark each layout; reads no tensor's values. Never fails: at worst Unknown.
/// Source of the checkpoint rules and their order: diffusers, single_file_utils.
ModelIdentity identifyModel(const StoredTensors& tensors);

}  // namespace reelbrush::weights
