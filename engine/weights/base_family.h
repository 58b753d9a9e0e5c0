#pragma once

#include <cstdint>

namespace reelbrush::weights {

/// The kinds of Stable Diffusion that are computed.
enum class BaseFamily : std::uint8_t { Sd15, Sd2, Sdxl };

/// What a UNet takes beside the latents: nothing (4 channels), mask and masked picture (9), or the picture to edit (8).
enum class ModelVariant : std::uint8_t { Plain, Inpainting, InstructPix2Pix };

/// What a UNet predicts. Auto: as the file says.
enum class Prediction : std::uint8_t { Auto, Epsilon, VPrediction };

/// "SD 1.5", "SD 2.x", "SDXL": as elsewhere in this library.
inline const char* nameOf(BaseFamily family) {
    switch (family) {
        case BaseFamily::Sd15:
            return "SD 1.5";
        case BaseFamily::Sd2:
            return "SD 2.x";
        case BaseFamily::Sdxl:
            return "SDXL";
    }
    return "?";
}

/// "plain", "inpainting", "InstructPix2Pix".
inline const char* nameOf(ModelVariant variant) {
    switch (variant) {
        case ModelVariant::Plain:
            return "plain";
        case ModelVariant::Inpainting:
            return "inpainting";
        case ModelVariant::InstructPix2Pix:
            return "InstructPix2Pix";
    }
    return "?";
}

}  // namespace reelbrush::weights
