#include "engine/diffusion/starter_model.h"

#include "engine/weights/diffusers_folder.h"

#include <fmt/format.h>

namespace reelbrush::diffusion {

namespace {

constexpr int kResamplerHeadSize = 48;  // not visible in the weights

struct OpenedPart {
    std::shared_ptr<const weights::ModelWeights> weights;
    nlohmann::json config;
};

Result<OpenedPart> openPart(const weights::DiffusersFolder& folder, const char* name) {
    RB_ASSIGN(const weights::DiffusersComponent* component, folder.component(name));
    RB_ASSIGN(auto opened, component->openWeights());
    return OpenedPart{std::move(opened), component->config};
}

Status checkFit(const StarterModel& model) {
    const int pixelChannels = 3 * StarterModel::kPixelUnshuffle * StarterModel::kPixelUnshuffle;
    const bool fits = model.unetConfig.inChannels == 2 * model.latentChannels() &&
                      model.unetConfig.outChannels == model.latentChannels() && model.unetConfig.timestepClass &&
                      model.vaeConfig.inChannels == pixelChannels && model.vaeConfig.outChannels == pixelChannels &&
                      model.resamplerConfig.embedChannels == model.imageEncoderConfig.hiddenSize &&
                      model.resamplerConfig.outChannels == model.unetConfig.contextChannels;
    if (fits) return {};
    return fail(
        StatusCode::BadInput,
        "its parts do not fit together as a Reelbrush starter model (latents, structure latents, style tokens)");
}

Result<StarterModel> openParts(const std::filesystem::path& path) {
    RB_ASSIGN(const auto folder, weights::DiffusersFolder::open(path));
    StarterModel model;
    RB_ASSIGN(const OpenedPart unet, openPart(folder, "unet"));
    RB_ASSIGN(const OpenedPart vae, openPart(folder, "vae"));
    RB_ASSIGN(const OpenedPart encoder, openPart(folder, "image_encoder"));
    RB_ASSIGN(const weights::DiffusersComponent* scheduler, folder.component("scheduler"));
    RB_ASSIGN(model.resampler, folder.openLooseWeights("image_proj.safetensors"));
    model.unet = unet.weights;
    model.vae = vae.weights;
    model.imageEncoder = encoder.weights;
    RB_ASSIGN(model.unetConfig, UnetConfig::fromJson(unet.config));
    RB_ASSIGN(model.vaeConfig, TinyAutoencoderConfig::fromJson(vae.config));
    RB_ASSIGN(model.imageEncoderConfig, VisionEncoderConfig::fromJson(encoder.config));
    RB_ASSIGN(model.resamplerConfig, StyleResamplerConfig::fromWeights(*model.resampler, kResamplerHeadSize));
    RB_ASSIGN(model.sampling, settingsFromSchedulerConfig(scheduler->config));
    RB_TRY(checkFit(model));
    return model;
}

}  // namespace

Result<StarterModel> StarterModel::open(const std::filesystem::path& folder) {
    auto model = openParts(folder);
    if (!model) {
        Error error = std::move(model).error();
        error.message = fmt::format("model '{}': {}", folder.string(), error.message);
        return fail(std::move(error));
    }
    return model;
}

}  // namespace reelbrush::diffusion
