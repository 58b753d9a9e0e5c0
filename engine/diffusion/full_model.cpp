#include "engine/diffusion/full_model.h"

#include "engine/diffusion/sampling/sampler_names.h"
#include "engine/weights/lora_file.h"

#include <fmt/format.h>

#include <system_error>

namespace reelbrush::diffusion {

namespace {

namespace fs = std::filesystem;

std::optional<FewStepChoice> choiceOfFile(const fs::path& file, std::map<std::string, std::string> metadata,
                                          bool isBaseModel, const SamplerSettings& basis) {
    return fewStepChoice({file.filename().string(), std::move(metadata), isBaseModel}, basis);
}

}  // namespace

TextFamily FullModel::textFamily() const {
    switch (files.family) {
        case weights::BaseFamily::Sd15:
            return TextFamily::StableDiffusion1;
        case weights::BaseFamily::Sd2:
            return TextFamily::StableDiffusion2;
        case weights::BaseFamily::Sdxl:
            break;
    }
    return TextFamily::StableDiffusionXl;
}

weights::ModelParts FullModel::parts() const {
    weights::ModelParts parts{{"unet", files.unet.weights}, {"text_encoder", files.textEncoder.weights}};
    if (files.textEncoder2.weights) parts.emplace("text_encoder_2", files.textEncoder2.weights);
    return parts;
}

Result<FullModel> FullModel::open(const PaintingSetup& setup) {
    FullModel model;
    weights::OpenModelOptions options;
    options.vae = setup.vae;
    options.textEncoder = setup.textEncoder;
    RB_ASSIGN(model.files, weights::openDiffusionModel(setup.model, options));
    RB_TRY(weights::requireWholeModel(model.files));
    RB_ASSIGN(model.unetConfig, UnetConfig::fromJson(model.files.unet.config));
    RB_ASSIGN(model.sampling, settingsFromSchedulerConfig(model.files.schedulerConfig));
    if (!model.sampling.standsInFor.empty())
        model.notes.push_back(fmt::format("the model's scheduler {} is not offered; {} stands in for it",
                                          model.sampling.standsInFor, nameOf(model.sampling)));
    // SD 1.5's motion modules were trained with evenly spaced betas (AnimateDiff).
    if (setup.motion && model.files.family == weights::BaseFamily::Sd15)
        model.sampling.betas.spacing = BetaSpacing::Linear;
    if (const std::string warning = weights::unreadWarning(setup.model, model.files.unreadTensors); !warning.empty())
        model.notes.push_back(warning);
    return model;
}

bool isStarterModel(const fs::path& model) {
    std::error_code ignored;
    return fs::is_directory(model / "image_encoder", ignored) && !fs::exists(model / "text_encoder", ignored);
}

Result<std::optional<FewStepChoice>> fewStepChoiceFor(const PaintingSetup& setup) {
    std::optional<FewStepChoice> choice;
    if (isStarterModel(setup.model)) return choice;
    RB_ASSIGN(const FullModel model, FullModel::open(setup));
    for (const LoraChoice& lora : setup.loras) {
        RB_ASSIGN(const auto file, weights::LoraFile::open(lora.file));
        const auto& metadata = file->file().metadata();
        choice = choiceOfFile(lora.file, {metadata.begin(), metadata.end()}, false, model.sampling);
        if (choice) return choice;
    }
    if (setup.motion) choice = choiceOfFile(setup.motion->file, {}, true, model.sampling);
    if (!choice) choice = choiceOfFile(setup.model, {}, true, model.sampling);
    return choice;
}

}  // namespace reelbrush::diffusion
