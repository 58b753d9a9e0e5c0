#pragma once

#include "engine/core/status.h"
#include "engine/diffusion/networks/style_resampler.h"
#include "engine/diffusion/networks/tiny_autoencoder.h"
#include "engine/diffusion/networks/unet_config.h"
#include "engine/diffusion/networks/vision_encoder.h"
#include "engine/diffusion/sampling/sampler_settings.h"
#include "engine/weights/model_weights.h"

#include <filesystem>
#include <memory>

namespace reelbrush::diffusion {

/// The parts of a starter model, opened and checked: a structure-conditioned UNet over latents of a tiny autoencoder
/// on pixel-unshuffled pictures, styled by tokens of an image encoder and resampler. Immutable; weights are mapped.
struct StarterModel {
    std::shared_ptr<const weights::ModelWeights> unet, vae, imageEncoder, resampler;
    UnetConfig unetConfig;
    TinyAutoencoderConfig vaeConfig;
    VisionEncoderConfig imageEncoderConfig;
    StyleResamplerConfig resamplerConfig;
    SamplerSettings sampling;

    /// How many pixels of the frame make one pixel of the autoencoder's input along a side.
    static constexpr int kPixelUnshuffle = 2;

    /// folder: diffusers layout plus image_proj.safetensors. Errors: Io; BadInput where a part is missing, damaged or
    /// does not fit the others.
    static Result<StarterModel> open(const std::filesystem::path& folder);

    int latentChannels() const { return vaeConfig.latentChannels; }
    /// Pixels of the frame per latent along a side: 8.
    int reduction() const { return vaeConfig.reduction() * kPixelUnshuffle; }
};

}  // namespace reelbrush::diffusion
