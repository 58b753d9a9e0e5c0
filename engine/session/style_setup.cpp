#include "engine/session/style_setup.h"

#include "engine/diffusion/full_model.h"
#include "engine/diffusion/sampling/sampler_names.h"
#include "engine/diffusion/text/lora_tags.h"
#include "engine/session/embedding_folders.h"

#include <fmt/format.h>

#include <optional>

namespace reelbrush::session {

namespace {

namespace fs = std::filesystem;

constexpr const char* kAutomatic = "auto";

class SetupBuilder {
  public:
    SetupBuilder(const styles::StyleCard& card, const GivenSettings& given, const ModelLocator& locate,
                 const CancelToken& cancel)
        : card_(card), given_(given), locate_(locate), cancel_(cancel) {}

    Result<StyleSetup> build() {
        RB_TRY(takePrompts());
        RB_TRY(findFiles());
        RB_TRY(takeControls());
        takeSettings();
        RB_TRY(chooseSampler());
        return std::move(setup_);
    }

  private:
    Result<fs::path> find(ModelRole role, const std::string& name) const { return locate_(role, name, cancel_); }

    Status takePrompts() {
        const diffusion::TaggedPrompt prompt = diffusion::takeLoraTags(card_.prompt);
        setup_.inputs.prompt = prompt.text;
        setup_.inputs.negativePrompt = card_.negativePrompt;
        setup_.inputs.comfyWeights = card_.conditioning.comfyPromptWeights;
        setup_.inputs.clipSkip = card_.conditioning.clipSkip;
        setup_.notes.insert(setup_.notes.end(), prompt.notes.begin(), prompt.notes.end());
        for (const diffusion::LoraTag& tag : prompt.loras) {
            diffusion::LoraChoice choice;
            RB_ASSIGN(choice.file, find(ModelRole::Lora, tag.name));
            choice.strength = static_cast<float>(tag.strength);
            choice.textStrength = static_cast<float>(tag.textStrength);
            setup_.files.loras.push_back(std::move(choice));
        }
        return {};
    }

    Status findFiles() {
        diffusion::PaintingSetup& files = setup_.files;
        const styles::StyleConditioning& conditioning = card_.conditioning;
        RB_ASSIGN(files.model, find(ModelRole::Base, card_.baseModel));
        if (!conditioning.vae.empty()) {
            RB_ASSIGN(files.vae, find(ModelRole::Vae, conditioning.vae));
        }
        if (!conditioning.textEncoder.empty()) {
            RB_ASSIGN(files.textEncoder, find(ModelRole::TextEncoder, conditioning.textEncoder));
        }
        for (const styles::StyleLora& lora : card_.loras) {
            diffusion::LoraChoice choice{lora.file, static_cast<float>(lora.strength), {}, lora.blocks};
            if (lora.textStrength) choice.textStrength = static_cast<float>(*lora.textStrength);
            if (choice.file.empty()) {
                RB_ASSIGN(choice.file, find(ModelRole::Lora, lora.name));
            }
            files.loras.push_back(std::move(choice));
        }
        if (const auto& adapter = conditioning.ipAdapter) {
            diffusion::IpAdapterChoice choice;
            RB_ASSIGN(choice.file, find(ModelRole::IpAdapter, adapter->model));
            RB_ASSIGN(choice.imageEncoder, find(ModelRole::ImageEncoder, adapter->imageEncoder));
            choice.styleOnly = adapter->styleOnly;
            files.ipAdapter = std::move(choice);
        }
        if (const auto& motion = conditioning.motion) {
            diffusion::MotionChoice choice;
            RB_ASSIGN(choice.file, find(ModelRole::Motion, motion->model));
            choice.windowFrames = motion->frames;
            choice.overlap = motion->overlap;
            files.motion = std::move(choice);
        }
        files.stylePictures = !card_.pictures.empty();
        RB_ASSIGN(files.embeddingFolders, embeddingFolders());
        return {};
    }

    Status takeControls() {
        for (const styles::StyleControl& control : card_.conditioning.controls) {
            RB_ASSIGN(const fs::path file, find(ModelRole::ControlNet, control.model));
            RB_ASSIGN(const auto kind, preprocessorOf(control, file));
            setup_.files.controls.push_back(file);
            setup_.controls.push_back(kind);
            setup_.paint.controls.push_back({static_cast<float>(control.strength), static_cast<float>(control.start),
                                             static_cast<float>(control.end)});
        }
        return {};
    }

    Result<imaging::ControlPreprocessor> preprocessorOf(const styles::StyleControl& control, const fs::path& file) {
        if (control.preprocessor != kAutomatic) return imaging::controlPreprocessorNamed(control.preprocessor);
        const auto kind = imaging::controlPreprocessorOfFile(file.filename().string());
        if (!kind)
            return fail(StatusCode::BadInput,
                        fmt::format("the name of ControlNet '{}' does not say what it follows; give it as KIND={}, "
                                    "with KIND canny, softedge, scribble, lineart, luminance, tile or none",
                                    file.filename().string(), control.model));
        setup_.notes.push_back(
            fmt::format("ControlNet {} follows: {}", file.filename().string(), imaging::nameOf(*kind)));
        return *kind;
    }

    void takeSettings() {
        const styles::StyleConditioning& conditioning = card_.conditioning;
        diffusion::PaintSettings& paint = setup_.paint;
        paint.freedom = static_cast<float>(card_.freedom());
        paint.steps = card_.steps;
        paint.guidance = static_cast<float>(card_.guidance);
        paint.seed = card_.seed;
        paint.cudaNoise = conditioning.cudaNoise;
        paint.guidanceFalloff = static_cast<float>(conditioning.guidanceFalloff);
        paint.guidanceRescale = static_cast<float>(conditioning.guidanceRescale);
        paint.imageGuidance = static_cast<float>(conditioning.imageGuidance);
        paint.queryBlend = static_cast<float>(conditioning.injection.queryBlend);
        paint.injectionTemperature = static_cast<float>(conditioning.injection.temperature);
        if (conditioning.ipAdapter) paint.ipAdapterStrength = static_cast<float>(conditioning.ipAdapter->strength);
    }

    Status chooseSampler() {
        if (card_.sampler != kAutomatic) {
            setup_.paint.sampler = card_.sampler;
            return {};
        }
        RB_ASSIGN(const auto choice, diffusion::fewStepChoiceFor(setup_.files));
        if (!choice) return {};
        setup_.paint.tunedSampler = choice->settings;
        if (!given_.steps) setup_.paint.steps = choice->steps;
        if (!given_.guidance && choice->setsGuidance) setup_.paint.guidance = choice->guidance;
        setup_.notes.push_back(choice->told);
        return {};
    }

    const styles::StyleCard& card_;
    const GivenSettings& given_;
    const ModelLocator& locate_;
    const CancelToken& cancel_;
    StyleSetup setup_;
};

}  // namespace

Result<StyleSetup> setUpStyle(const styles::StyleCard& card, const GivenSettings& given, const ModelLocator& locate,
                              const CancelToken& cancel) {
    return SetupBuilder(card, given, locate, cancel).build();
}

}  // namespace reelbrush::session
