#pragma once

#include "tests/support/safetensors_writer.h"

#include <string>

/// Miniature models of kinds that the fixtures lack, made from the tiny SD 1.5 checkpoint or of zeros.
namespace reelbrush::testing {

/// Its spread tells SD 2.x's v-prediction models from the others.
inline constexpr const char* kSpreadBias = "model.diffusion_model.output_blocks.11.1.transformer_blocks.0.norm1.bias";
/// A checkpoint of the SD 2.x kind, but for kSpreadBias: linear projections, OpenCLIP text encoder.
SafetensorsWriter tinySd2();

/// A ControlNet under LDM names. squeezed: with linear projections, as those of SD 2.x have.
SafetensorsWriter tinyControlNet(const std::string& prefix, bool squeezed = false);

/// One module of those below.
void addMotionLayers(SafetensorsWriter& writer, const std::string& module, int positions);
struct TinyMotionModule {
    int levels = 4;      ///< 3: of SDXL
    int positions = 24;  ///< 0: none stored
    bool hasMiddle = false;
    std::string wrapper = {};  ///< before each name
};
/// As AnimateDiff's authors publish it, of zeros.
SafetensorsWriter tinyMotionModule(const TinyMotionModule& kind);

}  // namespace reelbrush::testing
