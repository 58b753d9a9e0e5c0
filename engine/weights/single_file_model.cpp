#include "engine/weights/single_file_model.h"

#include "engine/weights/layouts/in_file.h"
#include "engine/weights/layouts/model_family.h"
#include "engine/weights/layouts/model_part_reader.h"
#include "engine/weights/layouts/scheduler_inference.h"
#include "engine/weights/layouts/unet_names.h"
#include "engine/weights/layouts/vae_inference.h"
#include "engine/weights/model_kind.h"
#include "engine/weights/model_weights.h"
#include "engine/weights/unsupported_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace reelbrush::weights {

namespace {

namespace fs = std::filesystem;
using Stored = std::shared_ptr<const ListedWeights>;

constexpr std::string_view kClipPrefix = "cond_stage_model.transformer.";
constexpr std::string_view kOpenClipPrefix = "cond_stage_model.model.";
constexpr std::string_view kXlClipPrefix = "conditioner.embedders.0.transformer.";
constexpr std::string_view kXlOpenClipPrefix = "conditioner.embedders.1.model.";
constexpr std::string_view kVaePrefixes[] = {"first_stage_model.", "vae."};

/// What trainers leave in a checkpoint and no network reads: tables of the noise schedule, averaged copies, markers.
constexpr std::string_view kLeftovers[] = {
    "model_ema.",     "betas",
    "alphas_cumprod", "sqrt_",
    "log_one_minus_", "posterior_",
    "lvlb_weights",   "global_step",
    "scale_factor",   "logvar",
    "v_pred",         "ztsnr",
    "denoiser.",      "cond_stage_model.logit_scale",
};

bool startsWithOneOf(std::string_view name, std::span<const std::string_view> starts) {
    return std::ranges::any_of(starts, [&](std::string_view start) { return name.starts_with(start); });
}

class SingleFile {
  public:
    SingleFile(const fs::path& path, std::shared_ptr<const ModelWeights> stored)
        : stored_(stored), fileWeights_(std::move(stored)) {
        model_.path = path;
    }

    Result<DiffusionModelFiles> read(Prediction prediction) {
        const ModelIdentity identity = identifyModel(fileWeights_->stored());
        if (identity.kind == ModelKind::ControlNet) return refuse(identity);  // half of a UNet, in its own names
        RB_TRY(readSecondTextEncoder());
        const auto pooled = model_.textEncoder2.config.value("projection_dim", std::int64_t{1280});
        RB_TRY(keep(readUnet(stored_, {}, pooled), model_.unet));
        if (!model_.unet.weights) return refuse(identity);
        model_.family = familyOf(model_.unet.config);
        RB_ASSIGN(model_.variant, variantOf(model_.unet.config));
        RB_TRY(readFirstTextEncoder());
        const bool isXl = model_.family == BaseFamily::Sdxl;
        RB_TRY(keep(readVae(stored_, {}, isXl ? kSdxlScalingFactor : kSdScalingFactor), model_.vae));
        TrainingHints hints;
        hints.family = model_.family;
        hints.variant = model_.variant;
        hints.asked = prediction;
        hints.stored = stored_.get();
        hints.unet = model_.unet.weights.get();
        hints.metadata = &fileWeights_->stored().metadata();
        model_.schedulerConfig = inferSchedulerConfig(hints);
        addTensorsOfNoPart();
        return std::move(model_);
    }

  private:
    Status keep(Result<ReadPart> read, ModelPart& part) {
        if (!read) return fail(std::move(read).error());
        part = std::move(read->part);
        auto& unread = model_.unreadTensors;
        unread.insert(unread.end(), read->unread.begin(), read->unread.end());
        return {};
    }

    Status readSecondTextEncoder() {
        return keep(readOpenClipText(stored_, kXlOpenClipPrefix, /*withoutLastLayer=*/false), model_.textEncoder2);
    }

    Status readFirstTextEncoder() {
        if (model_.family == BaseFamily::Sd2)
            return keep(readOpenClipText(stored_, kOpenClipPrefix, /*withoutLastLayer=*/true), model_.textEncoder);
        const auto prefix = model_.family == BaseFamily::Sdxl ? kXlClipPrefix : kClipPrefix;
        return keep(readClipText(stored_, prefix, {}, TextEncoderKind::ClipL), model_.textEncoder);
    }

    static tl::unexpected<Error> refuse(const ModelIdentity& identity) {
        if (identity.kind == ModelKind::Unknown || identity.kind == ModelKind::Checkpoint)
            return fail(
                StatusCode::BadInput,
                "it holds no Stable Diffusion UNet that is known; choose a checkpoint of SD 1.5, SD 2.x or SDXL");
        return fail(
            StatusCode::BadInput,
            fmt::format("it is {}{}{}, not a whole model; choose a checkpoint of SD 1.5, SD 2.x or SDXL",
                        nameWithArticle(identity.kind), identity.baseModel.empty() ? "" : " for ", identity.baseModel));
    }

    /// A UNet alone has no prefix: then every tensor was asked for by it.
    void addTensorsOfNoPart() {
        auto& unread = model_.unreadTensors;
        if (hasPrefix(*stored_, kLdmUnetPrefix))
            for (const std::string& name : stored_->names())
                if (!isOfAPart(name)) unread.push_back(name);
        std::erase_if(unread, [](const std::string& name) { return startsWithOneOf(name, kLeftovers); });
        std::ranges::sort(unread);
    }

    bool isOfAPart(std::string_view name) const {
        if (name.starts_with(kLdmUnetPrefix) || startsWithOneOf(name, kVaePrefixes)) return true;
        switch (model_.family) {
            case BaseFamily::Sd15:
                return name.starts_with(kClipPrefix);
            case BaseFamily::Sd2:
                return name.starts_with(kOpenClipPrefix);
            case BaseFamily::Sdxl:
                return name.starts_with(kXlClipPrefix) || name.starts_with(kXlOpenClipPrefix);
        }
        return false;
    }

    Stored stored_;
    std::shared_ptr<const ModelWeights> fileWeights_;
    DiffusionModelFiles model_;
};

}  // namespace

Result<DiffusionModelFiles> openSingleFileModel(const fs::path& path, Prediction prediction) {
    RB_ASSIGN(auto weights, ModelWeights::open(path));
    if (const std::string name = unsupportedModelName(*weights); !name.empty())
        return fail(StatusCode::Unsupported,
                    fmt::format("{} is {}; supported are SD 1.5, SD 2.x and SDXL base models", quotedPath(path), name));
    return inFile(path, SingleFile(path, std::move(weights)).read(prediction));
}

}  // namespace reelbrush::weights
