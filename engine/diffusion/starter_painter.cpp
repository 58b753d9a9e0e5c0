#include "engine/diffusion/starter_painter.h"

#include "engine/diffusion/batch_frames.h"
#include "engine/diffusion/merged_loras.h"
#include "engine/diffusion/painter_backend.h"
#include "engine/diffusion/part_holders.h"
#include "engine/diffusion/sampling/sampler.h"
#include "engine/diffusion/shot_noise.h"
#include "engine/diffusion/starter_graphs.h"
#include "engine/diffusion/starter_model.h"
#include "engine/diffusion/streamed_weights.h"
#include "engine/diffusion/style_encoder.h"
#include "engine/diffusion/vae/each_frame.h"
#include "engine/diffusion/work_space.h"
#include "kernels/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

/// The starter model is small and of its own kind.
Status checkSetup(const PaintingSetup& setup) {
    const char* foreign = !setup.controls.empty()      ? "ControlNets"
                          : setup.ipAdapter            ? "IP-Adapters (it takes style pictures by itself)"
                          : setup.motion               ? "motion modules"
                          : !setup.vae.empty()         ? "another VAE"
                          : !setup.textEncoder.empty() ? "text encoders"
                                                       : nullptr;
    if (!foreign) return {};
    return fail(StatusCode::BadInput, fmt::format("the starter model does not take {}; choose an SD 1.5 or SDXL model "
                                                  "for that, or leave it out",
                                                  foreign));
}

class StarterPainter final : public FramePainter {
  public:
    StarterPainter(StarterModel model, const PainterOptions& options, std::unique_ptr<Backend> backend)
        : model_(std::move(model)), options_(options), backend_(std::move(backend)) {}

    Status compile(const std::vector<LoraChoice>& loras, const CancelToken& cancel);

    PainterNeeds needs() const override;
    Status switchLoras(const std::vector<LoraChoice>& loras, const CancelToken& cancel) override;
    Status setStyle(const StyleInputs& style, const CancelToken& cancel) override;
    void beginShot(const PaintSettings& settings) override;
    Status paint(std::span<const FrameInput> frames, const PaintSettings& settings, const CancelToken& cancel,
                 std::span<const std::span<float>> out) override;
    void traceTo(TraceRow row) override { trace_ = row; }
    PainterMemory memory() const override;
    std::vector<MemoryHolder> holders() const override;
    std::string deviceName() const override { return backend_->name(); }
    const std::vector<std::string>& loraReports() const override { return loras_.reports; }
    const std::vector<std::string>& notes() const override { return notes_; }

  private:
    Status allocateArena();
    Status denoise(Sampler& sampler, const PaintSettings& settings, const CancelToken& cancel);
    StarterShape shape() const {
        return {options_.width, options_.height, framesAtOnce(options_, backend_->device() != nullptr),
                options_.guided ? 2 : 1};
    }
    std::size_t frames() const { return static_cast<std::size_t>(shape().frames); }

    StarterModel model_;
    PainterOptions options_;
    std::unique_ptr<Backend> backend_;
    std::optional<Plan> encode_, denoise_, decode_;  ///< share one arena: they never run at once
    std::unique_ptr<DeviceMemory> arena_;
    MergedLoras loras_;
    std::vector<std::string> notes_;
    TraceRow trace_;
    std::vector<float> nullTokens_, styleTokens_;
    std::optional<ShotNoise> shot_;
    std::vector<float> noise_, latents_, structureLatents_, prediction_;
};

/// Each layer keeps the algorithm that was chosen for it, so that a LoRA costs no speed.
Status StarterPainter::switchLoras(const std::vector<LoraChoice>& loras, const CancelToken& cancel) {
    weights::LoraTarget target;
    target.parts["unet"] = model_.unet;
    RB_ASSIGN(MergedLoras merged, mergeLoras(loras, target));
    std::set<std::string, std::less<>> touched = loras_.touched("unet");
    touched.merge(merged.touched("unet"));
    loras_ = std::move(merged);
    if (touched.empty()) return {};
    const auto unet = loras_.part("unet");
    RB_TRY(denoise_->reloadWeights(StreamedWeights(*unet, cancel), touched));
    unet->dropPages();
    return {};
}

Status StarterPainter::compile(const std::vector<LoraChoice>& loras, const CancelToken& cancel) {
    RB_ASSIGN(nullTokens_, nullStyleTokens(model_));
    styleTokens_ = nullTokens_;
    const StreamedWeights unet(*model_.unet, cancel);
    const StreamedWeights vae(*model_.vae, cancel);
    {
        const HeldFor part(*backend_, kUnetPart);
        RB_ASSIGN(denoise_, Plan::compile(starterDenoiseGraph(model_, shape()), unet, *backend_));
    }
    RB_TRY(switchLoras(loras, cancel));
    const HeldFor part(*backend_, kVaePart);
    RB_ASSIGN(encode_, Plan::compile(starterEncodeGraph(model_, shape()), vae, *backend_));
    RB_ASSIGN(decode_, Plan::compile(starterDecodeGraph(model_, shape()), vae, *backend_));
    model_.unet->dropPages();
    model_.vae->dropPages();
    RB_TRY(allocateArena());

    const auto latentCount = static_cast<std::size_t>(encode_->outputShape("latents").elements());
    latents_.resize(latentCount);
    structureLatents_.resize(latentCount);
    prediction_.resize(latentCount);
    beginShot({});
    return {};
}

Status StarterPainter::allocateArena() {
    const HeldFor part(*backend_, kWorkSpacePart);
    RB_ASSIGN(arena_, allocateWorkSpace(memory(), options_, *backend_));
    const std::span<std::byte> arena(arena_->data(), arena_->sizeBytes());
    for (auto* plan : {&encode_, &denoise_, &decode_}) RB_TRY((*plan)->bind(arena));
    return {};
}

PainterNeeds StarterPainter::needs() const {
    PainterNeeds needs;
    needs.styleWidth = needs.styleHeight = model_.imageEncoderConfig.imageSize;
    needs.windowFrames = shape().frames;
    return needs;
}

Status StarterPainter::setStyle(const StyleInputs& style, const CancelToken& cancel) {
    const auto& pictures = style.pictures;
    styleTokens_ = nullTokens_;
    if (pictures.empty()) return {};
    const TraceSpan span(trace_, "style tokens");
    const HeldFor part(*backend_, kPicturePart);
    std::ranges::fill(styleTokens_, 0.0f);
    for (const auto& picture : pictures) {
        RB_TRY(cancel.check());
        RB_ASSIGN(const auto tokens, encodeStyle(model_, picture, *backend_));
        for (std::size_t i = 0; i < tokens.size(); ++i)
            styleTokens_[i] += tokens[i] / static_cast<float>(pictures.size());
    }
    model_.imageEncoder->dropPages();
    model_.resampler->dropPages();
    return {};
}

void StarterPainter::beginShot(const PaintSettings& settings) {
    noise_.clear();
    shot_.emplace(settings, static_cast<std::size_t>(model_.latentChannels()), latents_.size() / frames(), false);
    for (std::size_t i = 0; i < frames(); ++i) {
        const std::vector<float> noise = shot_->next();
        noise_.insert(noise_.end(), noise.begin(), noise.end());
    }
}

Status StarterPainter::denoise(Sampler& sampler, const PaintSettings& settings, const CancelToken& cancel) {
    const auto isCancelled = [&] { return cancel.isCancelled(); };
    LatentNoise freshNoise = shot_->fresh(frames());  // drawn from only where the model's scheduler asks for it
    RB_TRY(sampler.start({}, noise_, latents_));
    for (std::size_t i = 0; i < sampler.evaluations(); ++i) {
        const TraceSpan span(trace_, "denoising step", {"step", static_cast<double>(i)});
        sampler.scaleInput(i, latents_, denoise_->input("latents"));
        std::ranges::copy(structureLatents_, denoise_->input("structure").begin());
        denoise_->input("timestep")[0] = sampler.timestep(i);
        denoise_->input("freedom")[0] = 1000.0f * settings.freedom;
        auto tokens = denoise_->input("tokens").begin();
        if (options_.guided)
            for (std::size_t frame = 0; frame < frames(); ++frame) tokens = std::ranges::copy(nullTokens_, tokens).out;
        while (tokens != denoise_->input("tokens").end()) tokens = std::ranges::copy(styleTokens_, tokens).out;
        RB_TRY(denoise_->run(isCancelled));

        const auto both = denoise_->output("prediction");
        if (options_.guided) {
            const auto plain = both.first(prediction_.size());
            const auto styled = both.subspan(prediction_.size());
            for (std::size_t k = 0; k < prediction_.size(); ++k)
                prediction_[k] = plain[k] + settings.guidance * (styled[k] - plain[k]);
        } else {
            std::ranges::copy(both, prediction_.begin());
        }
        RB_TRY(sampler.step(i, prediction_, latents_, freshNoise));
    }
    return {};
}

Status StarterPainter::paint(std::span<const FrameInput> frames, const PaintSettings& settings,
                             const CancelToken& cancel, std::span<const std::span<float>> out) {
    const auto isCancelled = [&] { return cancel.isCancelled(); };
    RB_ENSURE(!frames.empty() && frames.size() <= this->frames() && out.size() == frames.size(),
              "a window of another size than the painter's");
    if (!options_.guided && settings.guidance != 1.0f)
        return fail(StatusCode::BadInput, "guidance other than 1 needs a painter made for it");
    RB_ASSIGN(const auto sampler, Sampler::create(model_.sampling, settings.steps));

    const auto pictures = encode_->input("picture");
    const std::size_t values = pictures.size() / this->frames();
    for (std::size_t i = 0; i < frames.size(); ++i)
        RB_ENSURE(frames[i].picture.size() == values && out[i].size() == values,
                  "a frame of another size than the painter's");
    // What is too few is filled up with the last frame.
    forEachFrame(this->frames(), [&](std::size_t i) {
        std::ranges::copy(frames[std::min(i, frames.size() - 1)].picture, pictures.subspan(i * values).begin());
    });
    {
        const TraceSpan span(trace_, "vae encode");
        RB_TRY(encode_->run(isCancelled));
    }
    std::ranges::copy(encode_->output("latents"), structureLatents_.begin());
    RB_TRY(denoise(*sampler, settings, cancel));
    const TraceSpan span(trace_, "vae decode");
    std::ranges::copy(latents_, decode_->input("latents").begin());
    RB_TRY(decode_->run(isCancelled));
    const auto painted = decode_->output("picture");
    forEachFrame(out.size(),
                 [&](std::size_t i) { std::ranges::copy(painted.subspan(i * values, values), out[i].begin()); });
    return {};
}

std::vector<MemoryHolder> StarterPainter::holders() const {
    const PredictedPart predicted[] = {{kUnetPart, denoise_->weightBytes()},
                                       {kVaePart, encode_->weightBytes() + decode_->weightBytes()},
                                       {kWorkSpacePart, memory().arenaBytes}};
    return holdersOf(*backend_, predicted);
}

PainterMemory StarterPainter::memory() const {
    PainterMemory memory;
    for (const auto* plan : {&encode_, &denoise_, &decode_}) {
        memory.arenaBytes = std::max(memory.arenaBytes, (*plan)->arenaBytes());
        memory.weightBytes += (*plan)->weightBytes();
    }
    memory.onDevice = backend_->device() != nullptr;
    memory.residentArenaBytes = arena_ ? arena_->residentBytes() : 0;
    return memory;
}

}  // namespace

Result<std::unique_ptr<FramePainter>> createStarterPainter(const PaintingSetup& setup, const PainterOptions& options,
                                                           const CancelToken& cancel) {
    RB_TRY(checkSetup(setup));
    RB_ASSIGN(StarterModel model, StarterModel::open(setup.model));
    RB_ASSIGN(auto backend, openPainterBackend(options));
    auto painter = std::make_unique<StarterPainter>(std::move(model), options, std::move(backend));
    RB_TRY(painter->compile(setup.loras, cancel));
    return std::unique_ptr<FramePainter>(std::move(painter));
}

}  // namespace reelbrush::diffusion
