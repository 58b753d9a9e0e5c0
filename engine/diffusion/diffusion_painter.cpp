#include "engine/diffusion/diffusion_painter.h"

#include "engine/core/xdg_folders.h"
#include "engine/diffusion/batch_frames.h"
#include "engine/diffusion/denoiser.h"
#include "engine/diffusion/full_model.h"
#include "engine/diffusion/merged_loras.h"
#include "engine/diffusion/painter_backend.h"
#include "engine/diffusion/part_holders.h"
#include "engine/diffusion/shot_noise.h"
#include "engine/diffusion/text/embedding_library.h"
#include "engine/diffusion/vae/latent_codec.h"
#include "engine/diffusion/work_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

/// The VAE is cut into tiles rather than let it need more than this; a UNet that needs more lends it its space.
constexpr std::size_t kCodecBytes = std::size_t{512} << 20;

/// A frame that was painted in this shot, as later windows need it.
struct PaintedLatents {
    std::vector<float> noise, clean;
};

class DiffusionPainter final : public FramePainter {
  public:
    DiffusionPainter(PaintingSetup setup, const PainterOptions& options, FullModel model,
                     std::unique_ptr<Backend> backend)
        : setup_(std::move(setup)), options_(options), model_(std::move(model)), backend_(std::move(backend)) {}

    Status open(const CancelToken& cancel);

    PainterNeeds needs() const override;
    Status switchLoras(const std::vector<LoraChoice>& loras, const CancelToken& cancel) override;
    Status setStyle(const StyleInputs& style, const CancelToken& cancel) override;
    void beginShot(const PaintSettings& settings) override;
    Status paint(std::span<const FrameInput> frames, const PaintSettings& settings, const CancelToken& cancel,
                 std::span<const std::span<float>> out) override;
    void traceTo(TraceRow row) override {
        trace_ = row;
        denoiser_->traceTo(row);
    }
    PainterMemory memory() const override;
    std::vector<MemoryHolder> holders() const override;
    std::string deviceName() const override { return backend_->name(); }
    Result<std::size_t> keptBytes(const PaintSettings& settings) const override {
        return denoiser_->styleBytes(settings);
    }
    const std::vector<std::string>& loraReports() const override { return loras_.reports; }
    const std::vector<std::string>& notes() const override { return notes_; }

  private:
    Status encodePrompts(const StyleInputs& style, const CancelToken& cancel);
    Status encodePictures(const StyleInputs& style, const CancelToken& cancel);
    Status compile(const CancelToken& cancel);
    Status injectStyle(const StyleInputs& style, const CancelToken& cancel);
    UnetShape wantedShape() const;
    Status prepareExtra(std::span<const FrameInput> frames, const CancelToken& cancel);
    Status encodeFrames(std::span<const FrameInput> frames, std::size_t carried, const CancelToken& cancel);
    bool isInjected() const { return setup_.stylePictures && !setup_.ipAdapter; }
    int prompts() const { return !options_.guided ? 1 : model_.isEditing() ? 3 : 2; }
    std::size_t windowFrames() const {
        if (setup_.motion) return static_cast<std::size_t>(setup_.motion->windowFrames);
        return isInjected() ? 1 : static_cast<std::size_t>(framesAtOnce(options_, backend_->device() != nullptr));
    }
    std::size_t frameValues() const {
        return static_cast<std::size_t>(codec_->latentWidth() * codec_->latentHeight()) * kLatentChannels;
    }
    std::span<float> frameOf(std::vector<float>& all, std::size_t frame) const {
        return std::span(all).subspan(frame * frameValues(), frameValues());
    }

    const PaintingSetup setup_;
    const PainterOptions options_;
    FullModel model_;
    std::unique_ptr<Backend> backend_;
    MergedLoras loras_;
    std::optional<Denoiser> denoiser_;
    std::unique_ptr<LatentCodec> codec_;
    std::unique_ptr<DeviceMemory> arena_;
    int promptTokens_ = 0;
    std::vector<std::string> notes_;
    TraceRow trace_;

    std::optional<ShotNoise> shot_;
    std::vector<PaintedLatents> painted_;         ///< the last frames of the shot, at most a window
    std::vector<float> clean_, noise_, latents_;  ///< [frames,H,W,4]
};

Status DiffusionPainter::open(const CancelToken& cancel) {
    if (isInjected() && (setup_.motion || model_.isEditing()))
        return fail(StatusCode::BadInput,
                    fmt::format("style pictures cannot be injected {}; add an IP-Adapter for them, or leave them out",
                                setup_.motion ? "together with a motion module" : "into an InstructPix2Pix model"));
    const auto warn = [this](std::string warning) {
        if (!warning.empty()) model_.notes.push_back(std::move(warning));
    };
    RB_ASSIGN(ControlStack controls, ControlStack::open(setup_.controls, model_));
    for (std::string& warning : controls.warnings()) warn(std::move(warning));
    denoiser_.emplace(model_, std::move(controls), *backend_);
    if (setup_.motion) {
        RB_ASSIGN(auto motion, weights::openMotionModule(setup_.motion->file));
        warn(weights::unreadWarning(motion.path, motion.unreadTensors));
        RB_TRY(denoiser_->addMotion(std::move(motion)));
    }
    if (setup_.ipAdapter) {
        RB_ASSIGN(ImagePrompt prompt, ImagePrompt::open(*setup_.ipAdapter, model_));
        warn(weights::unreadWarning(prompt.files().path, prompt.files().unreadTensors));
        denoiser_->addImagePrompt(std::move(prompt));
    }
    notes_ = model_.notes;
    return switchLoras(setup_.loras, cancel);
}

PainterNeeds DiffusionPainter::needs() const {
    PainterNeeds needs;
    needs.structureImage = false;
    if (const ImagePrompt* prompt = denoiser_->imagePrompt()) {
        needs.styleWidth = needs.styleHeight = prompt->pictureSize();
    } else if (isInjected()) {
        needs.styleWidth = options_.width;
        needs.styleHeight = options_.height;
    }
    needs.windowFrames = static_cast<int>(windowFrames());
    if (setup_.motion) {
        needs.windowOverlap = setup_.motion->overlap;
        needs.relatesFrames = true;
    }
    return needs;
}

Status DiffusionPainter::switchLoras(const std::vector<LoraChoice>& loras, const CancelToken& cancel) {
    weights::LoraTarget target;
    target.parts = model_.parts();
    target.modelName = nameOf(model_.files.family);
    RB_ASSIGN(MergedLoras merged, mergeLoras(loras, target));
    std::set<std::string, std::less<>> touched = loras_.touched("unet");
    touched.merge(merged.touched("unet"));
    loras_ = std::move(merged);
    return denoiser_->isCompiled() && !touched.empty() ? denoiser_->reload(loras_, touched, cancel) : Status();
}

UnetShape DiffusionPainter::wantedShape() const {
    UnetShape shape;
    shape.width = options_.width / kPixelsPerLatent;
    shape.height = options_.height / kPixelsPerLatent;
    shape.prompts = prompts();
    shape.frames = static_cast<int>(windowFrames());
    shape.tokens = promptTokens_;
    shape.controlled = denoiser_->isControlled();
    shape.injected = isInjected();
    if (const ImagePrompt* prompt = denoiser_->imagePrompt()) shape.imageTokens = prompt->tokens();
    return shape;
}

/// The text encoders come and go before the UNet is packed, so that their memory does not add up.
Status DiffusionPainter::encodePrompts(const StyleInputs& style, const CancelToken& cancel) {
    const TraceSpan span(trace_, "text encoders");
    const HeldFor part(*backend_, kTextPart);
    RB_ASSIGN(const auto tokenizer, ClipTokenizer::open(resourcesFolder() / "tokenizer"));
    std::vector<TextEncoderPart> parts{{loras_.part("text_encoder"), model_.files.textEncoder.config}};
    if (model_.files.textEncoder2.weights)
        parts.push_back({loras_.part("text_encoder_2"), model_.files.textEncoder2.config});
    RB_ASSIGN(const PromptEncoder encoder, PromptEncoder::create(model_.textFamily(), std::move(parts), tokenizer));
    const EmbeddingLibrary embeddings = EmbeddingLibrary::scan(setup_.embeddingFolders);
    PromptOptions options;
    options.comfyWeights = style.comfyWeights;
    options.clipSkip = style.clipSkip;
    options.embeddings = &embeddings;
    options.cancel = cancel;
    RB_ASSIGN(EncodedPair pair, encoder.encodePair(style.prompt, style.negativePrompt, options, *backend_));
    for (const auto* prompt : {&pair.positive, &pair.negative})
        notes_.insert(notes_.end(), prompt->notes.begin(), prompt->notes.end());

    // Guidance steers away from what comes first; editing has the picture alone between, and both last.
    std::vector<const EncodedPrompt*> order{&pair.positive};
    if (options_.guided) order.insert(order.begin(), &pair.negative);
    if (options_.guided && model_.isEditing()) order.insert(order.begin(), &pair.negative);
    denoiser_->context().context.clear();
    denoiser_->context().pooled.clear();
    for (const EncodedPrompt* prompt : order) {
        denoiser_->context().context.insert(denoiser_->context().context.end(), prompt->context.begin(),
                                            prompt->context.end());
        denoiser_->context().pooled.insert(denoiser_->context().pooled.end(), prompt->pooled.begin(),
                                           prompt->pooled.end());
    }
    promptTokens_ = pair.positive.tokens;
    return {};
}

/// As the text encoders: the image encoder is gone before the UNet is packed.
Status DiffusionPainter::encodePictures(const StyleInputs& style, const CancelToken& cancel) {
    const ImagePrompt* prompt = denoiser_->imagePrompt();
    if (!prompt) return {};
    if (style.pictures.empty())
        return fail(StatusCode::BadInput,
                    "an IP-Adapter needs a style picture to look at; give one, or leave the "
                    "IP-Adapter out");
    const TraceSpan span(trace_, "image encoder");
    const HeldFor part(*backend_, kPicturePart);
    RB_ASSIGN(const ImageTokens tokens, prompt->encode(style.pictures, *backend_, cancel));
    std::vector<float>& all = denoiser_->context().imageTokens;
    all.clear();
    for (int i = 1; i < prompts(); ++i) all.insert(all.end(), tokens.nothing.begin(), tokens.nothing.end());
    all.insert(all.end(), tokens.pictures.begin(), tokens.pictures.end());
    return {};
}

Status DiffusionPainter::compile(const CancelToken& cancel) {
    RB_TRY(denoiser_->compile(wantedShape(), loras_, cancel));
    if (!codec_) {
        const TraceSpan span(trace_, "compile the VAE");
        const HeldFor part(*backend_, kVaePart);
        LatentCodecOptions options;
        options.width = options_.width;
        options.height = options_.height;
        options.activationBytes = std::max(kCodecBytes, denoiser_->arenaBytes());
        options.frames = static_cast<int>(windowFrames());
        RB_ASSIGN(codec_, LatentCodec::create(model_.files.vae.weights, model_.files.vae.config, *backend_, options));
        model_.files.vae.weights->dropPages();
    }
    const HeldFor part(*backend_, kWorkSpacePart);
    RB_ASSIGN(arena_, allocateWorkSpace(memory(), options_, *backend_));
    const std::span<std::byte> arena(arena_->data(), arena_->sizeBytes());
    RB_TRY(denoiser_->bind(arena));
    RB_TRY(codec_->bind(arena));
    const std::size_t values = windowFrames() * frameValues();
    for (auto* buffer : {&clean_, &noise_, &latents_}) buffer->resize(values);
    return {};
}

Status DiffusionPainter::injectStyle(const StyleInputs& style, const CancelToken& cancel) {
    RB_ENSURE(!style.pictures.empty(), "style injection without a style picture");
    if (style.pictures.size() > 1)
        notes_.emplace_back("of several style pictures the first is used; an IP-Adapter takes them all");
    std::vector<float> latents(frameValues());
    RB_TRY(codec_->encode(style.pictures[0], latents, [&] { return cancel.isCancelled(); }));
    denoiser_->setStyle(std::move(latents));
    return {};
}

Status DiffusionPainter::setStyle(const StyleInputs& style, const CancelToken& cancel) {
    notes_ = model_.notes;
    RB_TRY(encodePrompts(style, cancel));
    RB_TRY(encodePictures(style, cancel));
    RB_TRY(cancel.check());
    if (!denoiser_->isCompiled() || !(denoiser_->shape() == wantedShape())) {
        arena_.reset();
        RB_TRY(compile(cancel));
    }
    return isInjected() ? injectStyle(style, cancel) : Status();
}

void DiffusionPainter::beginShot(const PaintSettings& settings) {
    shot_.emplace(settings, kLatentChannels, frameValues(), setup_.motion.has_value());
    painted_.clear();
}

Status DiffusionPainter::encodeFrames(std::span<const FrameInput> frames, std::size_t carried,
                                      const CancelToken& cancel) {
    RB_ENSURE(carried <= painted_.size(), "a window that carries frames which were not painted");
    std::vector<std::span<const float>> pictures;
    for (const FrameInput& frame : frames.subspan(carried)) pictures.push_back(frame.picture);
    const auto fresh = std::span(clean_).subspan(carried * frameValues(), pictures.size() * frameValues());
    RB_TRY(codec_->encodeFrames(pictures, fresh, [&] { return cancel.isCancelled(); }));
    for (std::size_t i = 0; i < windowFrames(); ++i) {
        const auto clean = frameOf(clean_, i), noise = frameOf(noise_, i);
        if (i < carried) {
            const PaintedLatents& before = painted_[painted_.size() - carried + i];
            std::ranges::copy(before.clean, clean.begin());
            std::ranges::copy(before.noise, noise.begin());
        } else if (i < frames.size()) {
            std::ranges::copy(shot_->next(), noise.begin());
        } else {
            // A shot that is shorter than the window: its last frame stands still.
            std::ranges::copy(frameOf(clean_, frames.size() - 1), clean.begin());
            std::ranges::copy(frameOf(noise_, frames.size() - 1), noise.begin());
        }
    }
    return {};
}

/// What editing and inpainting models see beside the latents.
Status DiffusionPainter::prepareExtra(std::span<const FrameInput> frames, const CancelToken& cancel) {
    denoiser_->context().extra.clear();
    const std::size_t pixels = frameValues() / kLatentChannels;
    if (model_.isEditing()) {
        // The frame's latents as they are, unscaled; zeros where neither text nor picture is given.
        for (int prompt = 0; prompt < prompts(); ++prompt)
            for (std::size_t i = 0; i < windowFrames(); ++i)
                for (const float value : frameOf(clean_, i))
                    denoiser_->context().extra.push_back(
                        prompts() == 3 && prompt == 0 ? 0.0f : value / codec_->scalingFactor());
    }
    if (model_.isInpainting()) {
        // All of the frame is painted anew: the mask is one everywhere, and what it hides is grey.
        std::vector<float> grey(frames[0].picture.size(), 0.5f), hidden(frameValues());
        RB_TRY(codec_->encode(grey, hidden, [&] { return cancel.isCancelled(); }));
        for (int i = 0; i < denoiser_->shape().batch(); ++i)
            for (std::size_t p = 0; p < pixels; ++p) {
                denoiser_->context().extra.push_back(1.0f);
                const auto first = hidden.begin() + static_cast<std::ptrdiff_t>(p * kLatentChannels);
                denoiser_->context().extra.insert(denoiser_->context().extra.end(), first, first + kLatentChannels);
            }
    }
    return {};
}

Status DiffusionPainter::paint(std::span<const FrameInput> frames, const PaintSettings& settings,
                               const CancelToken& cancel, std::span<const std::span<float>> out) {
    RB_ENSURE(denoiser_->isCompiled() && shot_, "painting before a style and a shot were begun");
    RB_ENSURE(!frames.empty() && frames.size() <= windowFrames() && out.size() <= frames.size(),
              "a window of another size than the painter's");
    const std::size_t carried = frames.size() - out.size();
    {
        const TraceSpan span(trace_, "vae encode", {"frames", static_cast<double>(out.size())});
        RB_TRY(encodeFrames(frames, carried, cancel));
        RB_TRY(prepareExtra(frames, cancel));
    }
    // ControlNets look at every frame of the window, also at those that only fill it up.
    std::vector<FrameInput> window(frames.begin(), frames.end());
    window.resize(windowFrames(), window.back());
    LatentNoise fresh = shot_->fresh(windowFrames());
    RB_TRY(denoiser_->denoise({clean_, noise_, carried, window, settings, fresh}, cancel, latents_));

    const TraceSpan span(trace_, "vae decode", {"frames", static_cast<double>(out.size())});
    const auto painted = std::span(latents_).subspan(carried * frameValues(), out.size() * frameValues());
    RB_TRY(codec_->decodeFrames(painted, out, [&] { return cancel.isCancelled(); }));
    if (!setup_.motion) return {};
    for (std::size_t i = carried; i < frames.size(); ++i) {
        const auto latents = frameOf(latents_, i), noise = frameOf(noise_, i);
        painted_.push_back({{noise.begin(), noise.end()}, {latents.begin(), latents.end()}});
    }
    if (painted_.size() > windowFrames())
        painted_.erase(painted_.begin(), painted_.end() - static_cast<std::ptrdiff_t>(windowFrames()));
    return {};
}

std::vector<MemoryHolder> DiffusionPainter::holders() const {
    std::vector<PredictedPart> predicted;
    if (denoiser_->isCompiled() && codec_) {
        predicted = denoiser_->predictedParts();
        predicted.push_back({kVaePart, codec_->weightBytes()});
        predicted.push_back({kWorkSpacePart, memory().arenaBytes});
    }
    std::vector<MemoryHolder> holders = holdersOf(*backend_, predicted);
    if (auto bank = denoiser_->styleBank()) holders.push_back(*std::move(bank));
    return holders;
}

PainterMemory DiffusionPainter::memory() const {
    PainterMemory memory;
    if (!denoiser_->isCompiled() || !codec_) return memory;
    memory.arenaBytes = std::max(denoiser_->arenaBytes(), codec_->arenaBytes());
    memory.weightBytes = denoiser_->weightBytes() + codec_->weightBytes();
    memory.onDevice = backend_->device() != nullptr;
    memory.residentArenaBytes = arena_ ? arena_->residentBytes() : 0;
    return memory;
}

}  // namespace

Result<std::unique_ptr<FramePainter>> createDiffusionPainter(const PaintingSetup& setup, const PainterOptions& options,
                                                             const CancelToken& cancel) {
    RB_ASSIGN(FullModel model, FullModel::open(setup));
    RB_ASSIGN(auto backend, openPainterBackend(options));
    auto painter = std::make_unique<DiffusionPainter>(setup, options, std::move(model), std::move(backend));
    RB_TRY(painter->open(cancel));
    return std::unique_ptr<FramePainter>(std::move(painter));
}

}  // namespace reelbrush::diffusion
