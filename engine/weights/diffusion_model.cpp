#include "engine/weights/diffusion_model.h"

#include "engine/weights/finite_weights.h"
#include "engine/weights/folder_model.h"
#include "engine/weights/json_file.h"
#include "engine/weights/layouts/in_file.h"
#include "engine/weights/layouts/name_translation.h"
#include "engine/weights/model_part_files.h"
#include "engine/weights/model_weights.h"
#include "engine/weights/part_completeness.h"
#include "engine/weights/single_file_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <system_error>
#include <utility>

namespace reelbrush::weights {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Fields of `overrides` for every part that the model has. where: how errors call their source.
Status applyOverrides(DiffusionModelFiles& model, const json& overrides, const std::string& where) {
    const std::pair<const char*, json*> parts[] = {
        {"unet", &model.unet.config},
        {"vae", &model.vae.config},
        {"text_encoder", &model.textEncoder.config},
        {"text_encoder_2", &model.textEncoder2.config},
        {"scheduler", &model.schedulerConfig},
    };
    for (const auto& [name, config] : parts) {
        const auto fields = overrides.find(name);
        if (fields == overrides.end()) continue;
        if (!fields->is_object())
            return fail(StatusCode::BadInput,
                        fmt::format("{}: '{}' must be an object with configuration fields", where, name));
        config->update(*fields);
    }
    return {};
}

Status applySidecar(DiffusionModelFiles& model) {
    const fs::path sidecar = fs::path(model.path).replace_extension(".json");
    std::error_code ignored;
    if (sidecar == model.path || !fs::is_regular_file(sidecar, ignored)) return {};
    RB_ASSIGN(const json overrides, readJsonObject(sidecar));
    return applyOverrides(model, overrides, quotedPath(sidecar));
}

/// A whole SDXL model stands in for both of its text encoders.
bool holdsSecondTextEncoder(const fs::path& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) return fs::is_directory(path / "text_encoder_2", ignored);
    const auto stored = ModelWeights::open(path);
    return stored && hasPrefix(**stored, "conditioner.embedders.1.");
}

Status takePartsFromElsewhere(DiffusionModelFiles& model, const OpenModelOptions& options) {
    if (!options.vae.empty()) {
        RB_ASSIGN(model.vae, openVae(options.vae, model.family));
    }
    const TextEncoderRole first = model.family == BaseFamily::Sd2 ? TextEncoderRole::Sd2 : TextEncoderRole::ClipL;
    if (!options.textEncoder.empty()) {
        RB_ASSIGN(model.textEncoder, openTextEncoder(options.textEncoder, first));
    }
    fs::path second = options.textEncoder2;
    const bool lacksSecond = model.family == BaseFamily::Sdxl && !model.textEncoder2.weights;
    if (second.empty() && lacksSecond && holdsSecondTextEncoder(options.textEncoder)) second = options.textEncoder;
    if (!second.empty()) {
        RB_ASSIGN(model.textEncoder2, openTextEncoder(second, TextEncoderRole::SdxlSecond));
    }
    return {};
}

/// 0 where the part or field is missing.
std::int64_t number(const ModelPart& part, const char* field) {
    if (!part.weights) return 0;
    const auto found = part.config.find(field);
    return found != part.config.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

/// Parts of one model come from many hands; a wrong one is told here, not as a missing shape deep in a graph.
Status checkPartsFit(const DiffusionModelFiles& model) {
    const std::int64_t reads = number(model.unet, "cross_attention_dim");
    const bool isXl = model.family == BaseFamily::Sdxl;
    const std::int64_t first = number(model.textEncoder, "hidden_size");
    const std::int64_t second = isXl ? number(model.textEncoder2, "hidden_size") : 0;
    if (reads > 0 && first > 0 && (!isXl || second > 0) && first + second != reads)
        return fail(StatusCode::BadInput,
                    fmt::format("the UNet reads text of width {}, but the text encoder{} {} wide; "
                                "they belong to different models: choose a text encoder of the UNet's own family",
                                reads, isXl ? "s together are" : " is", first + second));
    const std::int64_t latents = number(model.vae, "latent_channels");
    const std::int64_t paints = number(model.unet, "out_channels");
    if (latents > 0 && paints > 0 && latents != paints)
        return fail(StatusCode::BadInput,
                    fmt::format("the UNet paints latents of {} channels, but the VAE has {}; they belong to different "
                                "models: choose another VAE",
                                paints, latents));
    return {};
}

Status checkPartsComplete(DiffusionModelFiles& model) {
    const auto check = [&](const ModelPart& part, const char* what, auto impliedNames) -> Status {
        if (!part.weights) return {};
        return checkComplete(*part.weights, impliedNames(part.config), what, model.unreadTensors);
    };
    RB_TRY(check(model.unet, "UNet", impliedUnetNames));
    RB_TRY(check(model.vae, "VAE", impliedVaeNames));
    RB_TRY(check(model.textEncoder, "text encoder", impliedTextEncoderNames));
    return check(model.textEncoder2, "second text encoder", impliedTextEncoderNames);
}

}  // namespace

Result<DiffusionModelFiles> openDiffusionModel(const fs::path& path, const OpenModelOptions& options) {
    std::error_code ignored;
    const bool isFolder = fs::is_directory(path, ignored);
    RB_ASSIGN(DiffusionModelFiles model,
              isFolder ? openFolderModel(path, options.prediction) : openSingleFileModel(path, options.prediction));
    const std::pair<const char*, ModelPart*> parts[] = {{"unet", &model.unet},
                                                        {"vae", &model.vae},
                                                        {"text_encoder", &model.textEncoder},
                                                        {"text_encoder_2", &model.textEncoder2}};
    for (const auto& [name, part] : parts)
        part->weights =
            requireFinite(std::move(part->weights), fs::is_directory(path / name, ignored) ? path / name : path);
    RB_TRY(takePartsFromElsewhere(model, options));
    if (!isFolder) RB_TRY(applySidecar(model));
    RB_TRY(applyOverrides(model, options.configOverrides, "the model's options"));
    RB_TRY(inFile(path, checkPartsFit(model)));
    RB_TRY(inFile(path, checkPartsComplete(model)));
    return model;
}

Status requireWholeModel(const DiffusionModelFiles& model) {
    std::vector<std::string> missing;
    if (!model.textEncoder.weights)
        missing.emplace_back(model.family == BaseFamily::Sd2 ? "the text encoder (OpenCLIP ViT-H)"
                                                             : "the text encoder (CLIP-L)");
    if (model.family == BaseFamily::Sdxl && !model.textEncoder2.weights)
        missing.emplace_back("the second text encoder (OpenCLIP bigG)");
    if (!model.vae.weights) missing.emplace_back("the VAE");
    if (missing.empty()) return {};
    const bool isUnetAlone = !model.textEncoder.weights && !model.textEncoder2.weights && !model.vae.weights;
    return fail(StatusCode::BadInput,
                fmt::format("{} {} {} model: it lacks {}; name files for what is missing (any whole {} checkpoint has "
                            "it), or use a whole checkpoint",
                            quotedPath(model.path), isUnetAlone ? "holds only the UNet of an" : "is not a whole",
                            nameOf(model.family), fmt::join(missing, " and "), nameOf(model.family)));
}

std::string unreadWarning(const fs::path& path, const std::vector<std::string>& unreadTensors) {
    constexpr std::size_t kNamed = 5;
    if (unreadTensors.empty()) return {};
    std::vector<std::string> named;
    for (const std::string& name : unreadTensors) {
        if (named.size() == kNamed) break;
        named.push_back(quotedName(name));
    }
    return fmt::format("{}: {} tensor{} of unknown meaning {} not read: {}{}", quotedPath(path), unreadTensors.size(),
                       unreadTensors.size() == 1 ? "" : "s", unreadTensors.size() == 1 ? "is" : "are",
                       fmt::join(named, ", "), unreadTensors.size() > kNamed ? " ..." : "");
}

}  // namespace reelbrush::weights
