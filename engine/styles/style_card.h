#pragma once

#include "engine/core/status.h"
#include "engine/styles/style_conditioning.h"

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::styles {

struct StyleLora {
    std::filesystem::path file;
    double strength = 1.0;                 ///< factor on the whole weight change, -10..10
    std::string name{};                    ///< in the model library; where there is no file
    std::optional<double> textStrength{};  ///< of the text encoders' part; as strength where not given
    /// Further factors by block: a list as A1111's block weight extension has it, or "OUT04=0.5,MID=0".
    std::string blocks{};
};

/// What the artist reads; without Chinese, English is shown.
struct StyleTitle {
    std::string en;
    std::string zh;
};

/// Everything that says how frames are restyled. As a file it is JSON with "version": 1 and the members' names below;
/// missing fields take the defaults here, except "version" and "name". Paths in the file are relative to its folder.
struct StyleCard {
    /// What it is asked for by: not empty, no slash.
    std::string name;
    /// The name where the file has none.
    StyleTitle title;
    /// A model by its name in the model library, or the path of one.
    std::string baseModel = "starter";
    std::vector<StyleLora> loras;
    /// For models with a text encoder.
    std::string prompt;
    std::string negativePrompt;
    /// For models that take style pictures, most important first.
    std::vector<std::filesystem::path> pictures;
    /// How much of the frame's drawing is kept, 0..1.
    double structure = 0.4;
    /// The clip's colours, or the style's.
    bool keepColours = false;
    int steps = 8;          ///< 1..1000
    double guidance = 2.0;  ///< 0..100; 1 is none
    /// As artists call it: "ddim", "dpm++ 2m karras" ...; "auto": what the model, or a few-step LoRA, was made for.
    /// With such a LoRA "auto" also takes the steps and the guidance that it was made for.
    std::string sampler = "auto";
    std::uint64_t seed = 0;
    StyleConditioning conditioning;
    /// Empty for none; need not exist yet.
    std::filesystem::path thumbnail;
    /// SPDX name where there is one, of the card with its pictures.
    std::string licence;
    std::string author;
    /// Words that the licence asks to be shown, or where the pictures come from.
    std::string attribution;
    std::vector<std::string> tags;

    /// Where the card was read from; empty for one made in memory.
    std::filesystem::path file;
    /// Fields of the file that this version does not know: an object, written back as it was. Worth a warning.
    nlohmann::json unknownFields = nlohmann::json::object();

    /// How much freedom the model is given: what the structure leaves.
    double freedom() const { return 1.0 - structure; }
};

/// Reads a card from its text. `file` is where it came from: named in errors, and its folder is what paths are
/// relative to. LoRAs and pictures must exist; they may lie anywhere.
/// Errors: BadInput names the file and the field, with expected and actual; Unsupported for a newer version.
Result<StyleCard> parseStyleCard(std::string_view text, const std::filesystem::path& file);

/// Errors: as parseStyleCard; Io where the file cannot be read.
Result<StyleCard> readStyleCard(const std::filesystem::path& file);

/// Writes the card to `file`, whole or not at all. Files beside the card's folder or below are written as relative
/// paths, so that the folders can be moved together; others as absolute ones.
/// Errors: Io; BadInput for text that is not UTF-8.
Status writeStyleCard(const StyleCard& card, const std::filesystem::path& file);

}  // namespace reelbrush::styles
