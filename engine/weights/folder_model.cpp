#include "engine/weights/folder_model.h"

#include "engine/weights/diffusers_folder.h"
#include "engine/weights/layouts/in_file.h"
#include "engine/weights/layouts/model_family.h"
#include "engine/weights/layouts/model_part_reader.h"
#include "engine/weights/layouts/scheduler_inference.h"
#include "engine/weights/layouts/vae_inference.h"
#include "engine/weights/model_kind.h"
#include "engine/weights/model_weights.h"
#include "engine/weights/unsupported_models.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace reelbrush::weights {

namespace {

namespace fs = std::filesystem;

Status keep(Result<ReadPart> read, ModelPart& part, DiffusionModelFiles& model) {
    if (!read) return fail(std::move(read).error());
    part = std::move(read->part);
    auto& unread = model.unreadTensors;
    unread.insert(unread.end(), read->unread.begin(), read->unread.end());
    return {};
}

Status readUnetOf(const DiffusersComponent& component, DiffusionModelFiles& model) {
    RB_ASSIGN(const auto weights, component.openWeights());
    if (const std::string name = unsupportedModelName(*weights); !name.empty())
        return fail(StatusCode::Unsupported, fmt::format("{} is {}; supported are SD 1.5, SD 2.x and SDXL base models",
                                                         quotedPath(model.path), name));
    if (const ModelKind kind = identifyModel(weights->stored()).kind; kind == ModelKind::ControlNet)
        return fail(StatusCode::BadInput,
                    fmt::format("{} holds {}, not a whole model; choose a model of SD 1.5, SD 2.x or SDXL",
                                quotedPath(component.folder), nameWithArticle(kind)));
    RB_TRY(inFile(component.folder, keep(readUnet(weights, component.config, 0), model.unet, model)));
    if (!model.unet.weights)
        return fail(StatusCode::BadInput,
                    fmt::format("{} does not hold the weights of a UNet; choose a model of SD 1.5, SD 2.x or SDXL",
                                quotedPath(component.weightsFile)));
    model.family = familyOf(model.unet.config);
    RB_ASSIGN(model.variant, inFile(component.folder, variantOf(model.unet.config)));
    TrainingHints hints;
    hints.family = model.family;
    hints.variant = model.variant;
    hints.unet = model.unet.weights.get();
    hints.metadata = &weights->stored().metadata();
    model.schedulerConfig = inferSchedulerConfig(hints);
    return {};
}

Status readVaeOf(const DiffusersComponent& component, DiffusionModelFiles& model) {
    RB_ASSIGN(const auto weights, component.openWeights());
    return inFile(component.folder, keep(readVae(weights, component.config, kSdScalingFactor), model.vae, model));
}

Status readTextOf(const DiffusersComponent& component, ModelPart& part, DiffusionModelFiles& model) {
    RB_ASSIGN(const auto weights, component.openWeights());
    return inFile(component.folder,
                  keep(readClipText(weights, "", component.config, TextEncoderKind::ClipL), part, model));
}

/// Folders of transformer models have no unet; their part says so better than a missing one.
Result<const DiffusersComponent*> unetOf(const DiffusersFolder& folder) {
    if (!folder.has("unet") && folder.has("transformer")) {
        const auto& config = folder.components().find("transformer")->second.config;
        const auto type = config.find("_class_name");
        return fail(
            StatusCode::Unsupported,
            fmt::format("{} is a transformer model ({}); supported are SD 1.5, SD 2.x and SDXL base models",
                        quotedPath(folder.folder()),
                        type != config.end() && type->is_string() ? quotedName(type->get_ref<const std::string&>())
                                                                  : std::string("of unknown kind")));
    }
    return folder.component("unet");
}

}  // namespace

Result<DiffusionModelFiles> openFolderModel(const fs::path& path, Prediction prediction) {
    DiffusionModelFiles model;
    model.path = path;
    if (const auto alone = readDiffusersComponent(path); alone && !alone->weightsFile.empty()) {
        RB_TRY(readUnetOf(*alone, model));
    } else {
        RB_ASSIGN(const DiffusersFolder folder, DiffusersFolder::open(path));
        RB_ASSIGN(const DiffusersComponent* unet, unetOf(folder));
        RB_TRY(readUnetOf(*unet, model));
        const auto part = [&](const char* name) -> const DiffusersComponent* {
            const auto found = folder.components().find(name);
            return found == folder.components().end() ? nullptr : &found->second;
        };
        if (const auto* vae = part("vae")) RB_TRY(readVaeOf(*vae, model));
        if (const auto* text = part("text_encoder")) RB_TRY(readTextOf(*text, model.textEncoder, model));
        if (const auto* text = part("text_encoder_2")) RB_TRY(readTextOf(*text, model.textEncoder2, model));
        if (const auto* scheduler = part("scheduler")) model.schedulerConfig = scheduler->config;
    }
    if (prediction != Prediction::Auto)
        model.schedulerConfig["prediction_type"] = prediction == Prediction::VPrediction ? "v_prediction" : "epsilon";
    return model;
}

}  // namespace reelbrush::weights
