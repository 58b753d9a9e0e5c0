#include "engine/diffusion/frame_painter.h"

#include "engine/diffusion/sampling/ddim_sampler.h"
#include "engine/diffusion/sampling/torch_noise.h"
#include "engine/diffusion/starter_graphs.h"
#include "engine/diffusion/style_encoder.h"
#include "engine/weights/lora_file.h"
#include "engine/weights/lora_merge.h"
#include "kernels/plan/plan.h"
#include "kernels/tensor/buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

constexpr int kSizeStep = 16;
constexpr std::uint64_t kDefaultSeed = 3;

Status checkOptions(const PainterOptions& options) {
    if (options.width > 0 && options.height > 0 && options.width % kSizeStep == 0 && options.height % kSizeStep == 0)
        return {};
    return fail(StatusCode::BadInput, fmt::format("the painting size must be a multiple of {}, got {}x{}", kSizeStep,
                                                  options.width, options.height));
}

CpuOptions cpuOptions(const PainterOptions& options) {
    CpuOptions cpu;
    cpu.threads = options.threads;
    cpu.precision = options.precision;
    cpu.algorithmCacheFile = options.algorithmCacheFile;
    return cpu;
}

/// The starter model on the CPU.
class StarterPainter final : public FramePainter {
  public:
    StarterPainter(StarterModel model, const PainterOptions& options)
        : model_(std::move(model)), options_(options), backend_(cpuOptions(options)) {}

    Status compile(const std::vector<LoraChoice>& loras);

    Status setStyle(const std::vector<std::span<const float>>& pictures) override;
    void beginShot(std::uint64_t seed) override;
    Status paint(std::span<const float> structure, const PaintSettings& settings, const CancelToken& cancel,
                 std::span<float> out) override;
    PainterMemory memory() const override;
    const std::vector<std::string>& loraReports() const override { return loraReports_; }

  private:
    Status mergeLoras(const std::vector<LoraChoice>& loras);
    Status allocateArena();
    Status denoise(const DdimSampler& sampler, const PaintSettings& settings, const CancelToken& cancel);
    int batch() const { return options_.guided ? 2 : 1; }

    StarterModel model_;
    PainterOptions options_;
    CpuBackend backend_;
    std::optional<Plan> encode_, denoise_, decode_;  ///< share one arena: they never run at once
    Buffer arena_;
    std::vector<std::string> loraReports_;
    std::vector<float> nullTokens_, styleTokens_;
    std::vector<float> noise_, latents_, structureLatents_, prediction_;
};

/// Only the layers that a LoRA touches are packed again, from the pristine weights; each keeps the algorithm that was
/// chosen for it, so that a LoRA costs no speed.
Status StarterPainter::mergeLoras(const std::vector<LoraChoice>& loras) {
    std::vector<weights::LoraUse> uses;
    for (const LoraChoice& choice : loras) {
        RB_ASSIGN(auto file, weights::LoraFile::open(choice.file));
        uses.push_back({std::move(file), choice.strength});
    }
    RB_ASSIGN(const auto merged, weights::LoraMergedWeights::merge(model_.unet, uses, weights::LoraTarget{}));
    for (const weights::LoraCoverage& coverage : merged->coverage()) {
        const std::string warning = coverage.warning();
        loraReports_.push_back(coverage.file.filename().string() + ": " + coverage.summary() +
                               (warning.empty() ? "" : "; " + warning));
    }
    const auto& touched = merged->touchedWeights();
    RB_TRY(denoise_->reloadWeights(*merged, {touched.begin(), touched.end()}));
    return {};
}

Status StarterPainter::compile(const std::vector<LoraChoice>& loras) {
    const int width = options_.width, height = options_.height;
    RB_ASSIGN(nullTokens_, nullStyleTokens(model_));
    styleTokens_ = nullTokens_;
    RB_ASSIGN(denoise_, Plan::compile(starterDenoiseGraph(model_, width, height, batch()), *model_.unet, backend_));
    if (!loras.empty()) RB_TRY(mergeLoras(loras));
    RB_ASSIGN(encode_, Plan::compile(starterEncodeGraph(model_, width, height), *model_.vae, backend_));
    RB_ASSIGN(decode_, Plan::compile(starterDecodeGraph(model_, width, height), *model_.vae, backend_));
    model_.unet->dropPages();
    model_.vae->dropPages();
    RB_TRY(allocateArena());

    const auto latentCount = static_cast<std::size_t>(encode_->outputShape("latents").elements());
    latents_.resize(latentCount);
    structureLatents_.resize(latentCount);
    prediction_.resize(latentCount);
    beginShot(kDefaultSeed);
    return {};
}

/// The peak is known here, before anything large is touched: the place to refuse what would not fit.
Status StarterPainter::allocateArena() {
    const PainterMemory needed = memory();
    const std::size_t total = needed.arenaBytes + needed.weightBytes;
    if (options_.ramBytes != 0 && total > options_.ramBytes)
        return fail(StatusCode::OutOfMemory,
                    fmt::format("painting at {}x{} needs {:.0f} MiB ({:.0f} MiB of weights, {:.0f} MiB of work space), "
                                "but only {:.0f} MiB are allowed; allow more or paint smaller",
                                options_.width, options_.height, total / 1048576.0, needed.weightBytes / 1048576.0,
                                needed.arenaBytes / 1048576.0, options_.ramBytes / 1048576.0));
    RB_ASSIGN(arena_, Buffer::allocate(needed.arenaBytes, nullptr, "the painter's work space"));
    const std::span<std::byte> arena(arena_.data(), arena_.sizeBytes());
    for (auto* plan : {&encode_, &denoise_, &decode_}) RB_TRY((*plan)->bind(arena));
    return {};
}

Status StarterPainter::setStyle(const std::vector<std::span<const float>>& pictures) {
    styleTokens_ = nullTokens_;
    if (pictures.empty()) return {};
    std::ranges::fill(styleTokens_, 0.0f);
    for (const auto& picture : pictures) {
        RB_ASSIGN(const auto tokens, encodeStyle(model_, picture, backend_));
        for (std::size_t i = 0; i < tokens.size(); ++i)
            styleTokens_[i] += tokens[i] / static_cast<float>(pictures.size());
    }
    model_.imageEncoder->dropPages();
    model_.resampler->dropPages();
    return {};
}

void StarterPainter::beginShot(std::uint64_t seed) {
    const Shape shape = encode_->outputShape("latents");
    noise_.resize(static_cast<std::size_t>(shape.elements()));
    fillLatentNoise(seed, static_cast<int>(shape[1]), static_cast<int>(shape[2]), static_cast<int>(shape[3]), noise_);
}

Status StarterPainter::denoise(const DdimSampler& sampler, const PaintSettings& settings, const CancelToken& cancel) {
    const auto isCancelled = [&] { return cancel.isCancelled(); };
    latents_ = noise_;
    for (std::size_t i = 0; i < sampler.timesteps().size(); ++i) {
        std::ranges::copy(latents_, denoise_->input("latents").begin());
        std::ranges::copy(structureLatents_, denoise_->input("structure").begin());
        denoise_->input("timestep")[0] = static_cast<float>(sampler.timesteps()[i]);
        denoise_->input("freedom")[0] = 1000.0f * settings.freedom;
        auto tokens = denoise_->input("tokens").begin();
        if (options_.guided) tokens = std::ranges::copy(nullTokens_, tokens).out;
        std::ranges::copy(styleTokens_, tokens);
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
        sampler.step(i, prediction_, latents_);
    }
    return {};
}

Status StarterPainter::paint(std::span<const float> structure, const PaintSettings& settings, const CancelToken& cancel,
                             std::span<float> out) {
    const auto isCancelled = [&] { return cancel.isCancelled(); };
    RB_ENSURE(structure.size() == encode_->input("picture").size() && out.size() == structure.size(),
              "a frame of another size than the painter's");
    if (!options_.guided && settings.guidance != 1.0f)
        return fail(StatusCode::BadInput, "guidance other than 1 needs a painter made for it");
    RB_ASSIGN(const DdimSampler sampler, DdimSampler::create(model_.schedule, settings.steps));

    std::ranges::copy(structure, encode_->input("picture").begin());
    RB_TRY(encode_->run(isCancelled));
    std::ranges::copy(encode_->output("latents"), structureLatents_.begin());
    RB_TRY(denoise(sampler, settings, cancel));
    std::ranges::copy(latents_, decode_->input("latents").begin());
    RB_TRY(decode_->run(isCancelled));
    std::ranges::copy(decode_->output("picture"), out.begin());
    return {};
}

PainterMemory StarterPainter::memory() const {
    PainterMemory memory;
    for (const auto* plan : {&encode_, &denoise_, &decode_}) {
        memory.arenaBytes = std::max(memory.arenaBytes, (*plan)->arenaBytes());
        memory.weightBytes += (*plan)->weightBytes();
    }
    memory.residentArenaBytes = arena_.residentBytes();
    return memory;
}

}  // namespace

Result<std::unique_ptr<FramePainter>> FramePainter::create(const std::filesystem::path& modelFolder,
                                                           const std::vector<LoraChoice>& loras,
                                                           const PainterOptions& options) {
    RB_TRY(checkOptions(options));
    RB_ASSIGN(StarterModel model, StarterModel::open(modelFolder));
    auto painter = std::make_unique<StarterPainter>(std::move(model), options);
    RB_TRY(painter->compile(loras));
    return std::unique_ptr<FramePainter>(std::move(painter));
}

}  // namespace reelbrush::diffusion
