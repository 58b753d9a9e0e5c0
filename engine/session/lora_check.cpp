#include "engine/session/lora_check.h"

#include "engine/diffusion/full_model.h"
#include "engine/weights/diffusers_folder.h"
#include "engine/weights/diffusion_model.h"
#include "engine/weights/lora_coverage.h"

#include <utility>

namespace reelbrush::session {

namespace {

namespace fs = std::filesystem;

struct CheckedModel {
    weights::ModelParts parts;
    std::string name;  ///< as weights::matchLora takes it
};

/// The model of the product has only a UNet that LoRAs change.
Result<CheckedModel> openStarter(const fs::path& folder) {
    RB_ASSIGN(const weights::DiffusersFolder model, weights::DiffusersFolder::open(folder));
    RB_ASSIGN(const weights::DiffusersComponent* unet, model.component("unet"));
    RB_ASSIGN(const auto unetWeights, unet->openWeights());
    return CheckedModel{{{"unet", unetWeights}}, weights::kStarterModelName};
}

/// Parts that a file lacks (a UNet alone) are no failure: what changes them is counted as missing.
Result<CheckedModel> openModel(const fs::path& path) {
    if (diffusion::isStarterModel(path)) return openStarter(path);
    RB_ASSIGN(const weights::DiffusionModelFiles model, weights::openDiffusionModel(path));
    CheckedModel checked{{{"unet", model.unet.weights}}, nameOf(model.family)};
    if (model.textEncoder.weights) checked.parts.emplace("text_encoder", model.textEncoder.weights);
    if (model.textEncoder2.weights) checked.parts.emplace("text_encoder_2", model.textEncoder2.weights);
    return checked;
}

}  // namespace

Result<LoraCheck> checkLora(const fs::path& lora, const fs::path& model) {
    RB_ASSIGN(CheckedModel checked, openModel(model));
    RB_ASSIGN(const auto file, weights::LoraFile::open(lora));
    const auto matching = weights::matchLora(*file, weights::LoraDictionary(std::move(checked.parts)), checked.name);
    if (!matching) return LoraCheck{false, false, matching.error().message};
    const std::string warning = matching->coverage.warning();
    return LoraCheck{true, matching->coverage.isComplete(),
                     matching->coverage.summary() + (warning.empty() ? "" : "; " + warning)};
}

}  // namespace reelbrush::session
