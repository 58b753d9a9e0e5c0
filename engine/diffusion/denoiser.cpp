#include "engine/diffusion/denoiser.h"

#include "engine/diffusion/sampling/guidance.h"
#include "engine/diffusion/sampling/sampler_names.h"
#include "engine/diffusion/streamed_weights.h"
#include "engine/weights/model_fit.h"

#include <algorithm>

namespace reelbrush::diffusion {

Status Denoiser::addMotion(weights::MotionModuleFiles motion) {
    RB_TRY(weights::checkFits(motion, model_.files));
    motion_ = std::move(motion);
    return {};
}

Status Denoiser::compile(const UnetShape& shape, const MergedLoras& loras, const CancelToken& cancel) {
    unet_.reset();
    // Compiled as stored, so that each layer gets the algorithm that is best for it; then LoRAs go into those that they
    // change.
    UnetAdditions additions;
    if (motion_) additions.motion = &*motion_;
    additions.imagePrompt = imagePrompt();
    {
        const kernels::TraceSpan span(trace_, "compile the UNet");
        const kernels::HeldFor part(backend_, kUnetPart);
        RB_ASSIGN(unet_, UnetRunner::compile(model_, shape, additions, backend_, cancel));
    }
    if (motion_) motion_->part.weights->dropPages();
    if (imagePrompt_) imagePrompt_->files().weights->dropPages();
    RB_TRY(reload(loras, loras.touched("unet"), cancel));
    if (isControlled()) {
        const kernels::TraceSpan span(trace_, "compile the ControlNets");
        const kernels::HeldFor part(backend_, kControlPart);
        RB_TRY(controls_.compile(shape, backend_, cancel));
    }
    const auto values = static_cast<std::size_t>(shape.frames * shape.height * shape.width * kLatentChannels);
    modelLatents_.resize(values);
    prediction_.resize(values);
    return {};
}

Status Denoiser::reload(const MergedLoras& loras, const std::set<std::string, std::less<>>& touched,
                        const CancelToken& cancel) {
    const auto weights = loras.part("unet");
    const kernels::TraceSpan span(touched.empty() ? kernels::TraceRow() : trace_, "merge LoRAs");
    if (!touched.empty()) RB_TRY(unet_->reload(StreamedWeights(*weights, cancel), touched));
    weights->dropPages();
    return {};
}

std::size_t Denoiser::arenaBytes() const {
    return unet_ ? std::max(unet_->arenaBytes(), controls_.arenaBytes()) : 0;
}

std::size_t Denoiser::weightBytes() const {
    return unet_ ? unet_->weightBytes() + controls_.weightBytes() : 0;
}

std::vector<PredictedPart> Denoiser::predictedParts() const {
    std::vector<PredictedPart> parts;
    if (unet_) parts.push_back({kUnetPart, unet_->weightBytes()});
    if (unet_ && isControlled()) parts.push_back({kControlPart, controls_.weightBytes()});
    return parts;
}

std::optional<MemoryHolder> Denoiser::styleBank() const {
    if (bank_.isEmpty() || !bankSettings_) return std::nullopt;
    const auto predicted = styleBytes(*bankSettings_);
    MemoryHolder holder{"style bank", MemoryPlace::Ram};
    if (predicted) holder.predictedBytes = *predicted;
    holder.heldBytes = holder.peakBytes = bank_.bytes();
    return holder;
}

Status Denoiser::bind(std::span<std::byte> arena) {
    RB_TRY(unet_->bind(arena));
    return controls_.bind(arena);
}

void Denoiser::setStyle(std::vector<float> latents) {
    styleLatents_ = std::move(latents);
    bankSettings_.reset();
    bank_.clear();
}

Result<std::size_t> Denoiser::styleBytes(const PaintSettings& settings) const {
    if (!unet_ || !shape().injected) return 0;
    RB_ASSIGN(const auto sampler, makeSampler(settings));
    return sampler->evaluations() * unet_->styleValues() * sizeof(std::uint16_t);
}

/// The style picture is noised as the frames are and looked at in the very steps that they take.
Status Denoiser::fillStyleBank(Sampler& sampler, const DenoiseRequest& request, const CancelToken& cancel) {
    if (bankSettings_ && bankSettings_->hasSameNoise(request.settings)) return {};
    const kernels::TraceSpan span(trace_, "style bank");
    bankSettings_.reset();
    bank_.clear();
    const std::vector<std::vector<float>> noControls;
    for (std::size_t i = 0; i < sampler.evaluations(); ++i) {
        sampler.addNoise(styleLatents_, request.noise, i, frameLatents_);
        sampler.scaleInput(i, frameLatents_, frameLatents_);
        RB_TRY(unet_->predict({.latents = frameLatents_,
                               .timestep = sampler.timestep(i),
                               .context = context_,
                               .controls = noControls,
                               .frame = frameLatents_},
                              cancel));
        unet_->captureStyle(bank_);
    }
    bankSettings_ = request.settings;
    return {};
}

Result<std::unique_ptr<Sampler>> Denoiser::makeSampler(const PaintSettings& settings) const {
    SamplerSettings sampling = model_.sampling;
    if (settings.tunedSampler) {
        sampling = *settings.tunedSampler;
    } else if (!settings.sampler.empty()) {
        RB_ASSIGN(sampling, settingsNamed(settings.sampler, model_.sampling));
    }
    // Editing starts from noise alone: it sees the frame beside the latents. Image-to-image needs one step at least.
    const double least = 1.0 / settings.steps;
    const double strength = model_.isEditing() ? 1.0 : std::clamp(static_cast<double>(settings.freedom), least, 1.0);
    return Sampler::create(sampling, settings.steps, strength);
}

void Denoiser::combine(std::span<const float> predictions, float guidance, const PaintSettings& settings) {
    const std::size_t count = prediction_.size();
    const int prompts = shape().prompts;
    const auto part = [&](int prompt) { return predictions.subspan(static_cast<std::size_t>(prompt) * count, count); };
    const auto prompted = part(prompts - 1);
    if (prompts == 1) {
        std::ranges::copy(prompted, prediction_.begin());
        return;
    }
    if (prompts == 3)
        guideEdit({part(0), part(1), prompted}, guidance, settings.imageGuidance, prediction_);
    else
        guide(part(0), prompted, needsSecondPass(guidance) ? guidance : 1.0f, prediction_);
    if (settings.guidanceRescale > 0.0f)
        rescaleGuidance(prompted, settings.guidanceRescale, static_cast<std::size_t>(shape().frames), prediction_);
}

Status Denoiser::denoise(const DenoiseRequest& request, const CancelToken& cancel, std::span<float> latents) {
    const PaintSettings& settings = request.settings;
    const std::size_t values = modelLatents_.size();
    RB_ENSURE(settings.controls.size() == controls_.count(), "settings for another number of ControlNets");
    RB_ENSURE(request.clean.size() == values && request.noise.size() == values && latents.size() == values,
              "latents of another size than the denoiser's");
    if (shape().prompts == 1 && needsSecondPass(settings.guidance))
        return fail(StatusCode::BadInput, "guidance other than 1 needs a painter made for it");
    RB_ASSIGN(const auto sampler, makeSampler(settings));
    const std::size_t frameValues = values / static_cast<std::size_t>(shape().frames);
    // Editing starts from noise alone.
    RB_TRY(sampler->start(model_.isEditing() ? std::span<const float>() : request.clean, request.noise, latents));
    const std::size_t evaluations = sampler->evaluations();
    if (shape().injected) {
        frameLatents_.resize(values);
        RB_TRY(fillStyleBank(*sampler, request, cancel));
        sampler->addNoise(styleLatents_, request.noise, 0, frameLatents_);
        matchStatistics(frameLatents_, kLatentChannels, latents);
    }
    for (std::size_t i = 0; i < evaluations; ++i) {
        const kernels::TraceSpan span(trace_, "denoising step", {"step", static_cast<double>(i)});
        // Frames of the window before stay what they became there.
        const std::size_t held = request.carried * frameValues;
        if (held > 0) sampler->addNoise(request.clean.first(held), request.noise.first(held), i, latents.first(held));
        sampler->scaleInput(i, latents, modelLatents_);
        const float timestep = sampler->timestep(i);
        {
            const kernels::TraceSpan controls(isControlled() ? trace_ : kernels::TraceRow(), "controlnets");
            RB_TRY(controls_.addResiduals(
                {modelLatents_, timestep, context_, request.frames, settings.controls, i, evaluations}, cancel,
                residuals_));
        }
        if (shape().injected) {
            sampler->addNoise(request.clean, request.noise, i, frameLatents_);
            sampler->scaleInput(i, frameLatents_, frameLatents_);
        }
        const UnetCall call{.latents = modelLatents_,
                            .timestep = timestep,
                            .context = context_,
                            .controls = residuals_,
                            .frame = frameLatents_,
                            .style = shape().injected ? &bank_ : nullptr,
                            .evaluation = i,
                            .blend = settings.queryBlend,
                            .temperature = settings.injectionTemperature,
                            .ipAdapterStrength = settings.ipAdapterStrength};
        RB_ASSIGN(const auto predictions, unet_->predict(call, cancel));
        combine(predictions, fallingGuidance(settings.guidance, i, evaluations, settings.guidanceFalloff), settings);
        RB_TRY(sampler->step(i, prediction_, latents, request.fresh));
    }
    std::ranges::copy(request.clean.first(request.carried * frameValues), latents.begin());
    return {};
}

}  // namespace reelbrush::diffusion
