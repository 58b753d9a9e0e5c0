#pragma once

#include "engine/styles/card_fields.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace reelbrush::styles {

/// A ControlNet: lets the drawing of the frame steer the painting. In the file an entry of "controls".
struct StyleControl {
    std::string model;  ///< name in the model library, or path
    /// How its picture is made of the frame: see imaging::ControlPreprocessor; "auto": as the model's name says.
    std::string preprocessor = "auto";
    double strength = 1.0;          ///< 0..10
    double start = 0.0, end = 1.0;  ///< shares of the steps, 0..1

    bool operator==(const StyleControl&) const = default;
};

/// An IP-Adapter, which carries the style pictures. In the file "ipAdapter".
struct StyleIpAdapter {
    std::string model;         ///< name in the model library, or path
    std::string imageEncoder;  ///< likewise
    double strength = 1.0;     ///< 0..10
    bool styleOnly = false;    ///< takes the pictures' style and leaves their content

    bool operator==(const StyleIpAdapter&) const = default;
};

/// A motion module (AnimateDiff). In the file "motion".
struct StyleMotion {
    std::string model;  ///< name in the model library, or path
    int frames = 16;    ///< of a window, 2..128
    int overlap = 4;    ///< frames that a window shares with the one before, 0..64

    bool operator==(const StyleMotion&) const = default;
};

/// How style pictures act without an IP-Adapter. In the file "styleInjection".
struct StyleInjection {
    double queryBlend = 0.75;  ///< 0..1: 1 keeps the frame's drawing
    double temperature = 1.5;  ///< 0.1..10: above 1 sharpens the attention to the style picture

    bool operator==(const StyleInjection&) const = default;
};

/// What a card asks of a full diffusion model beside prompt, LoRAs and pictures.
struct StyleConditioning {
    std::string vae;          ///< in place of the model's own: name in the model library, or path; empty: its own
    std::string textEncoder;  ///< likewise, for UNets that come without one
    std::vector<StyleControl> controls;
    std::optional<StyleIpAdapter> ipAdapter;
    std::optional<StyleMotion> motion;
    StyleInjection injection;
    bool comfyPromptWeights = false;  ///< "promptWeights": "a1111" or "comfyui"
    int clipSkip = 0;                 ///< 0..12, as A1111 counts; 0: the model's own
    bool cudaNoise = false;           ///< "noise": "cpu" (as ComfyUI draws it) or "cuda" (as A1111 does)
    double guidanceFalloff = 0.0;     ///< p of guidance * (1 - t/T)^p, 0..10; 0: none
    double guidanceRescale = 0.0;     ///< 0..1
    double imageGuidance = 1.5;       ///< of InstructPix2Pix models, 0..100

    bool operator==(const StyleConditioning&) const = default;
};

/// Reads those fields of a card's object; missing ones keep the defaults. Errors: as CardFields.
Status readConditioning(CardFields& fields, const std::filesystem::path& cardFile, StyleConditioning& conditioning);

/// Adds the fields that differ from the defaults.
void writeConditioning(const StyleConditioning& conditioning, const std::filesystem::path& cardFile,
                       nlohmann::ordered_json& json);

}  // namespace reelbrush::styles
