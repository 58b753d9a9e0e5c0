#include "engine/session/lora_check.h"

#include "engine/weights/diffusers_folder.h"
#include "engine/weights/lora_coverage.h"
#include "engine/weights/model_kind.h"

#include <utility>

namespace reelbrush::session {

Result<std::string> loraCoverage(const std::filesystem::path& lora, const std::filesystem::path& modelFolder) {
    RB_ASSIGN(const weights::DiffusersFolder model, weights::DiffusersFolder::open(modelFolder));
    RB_ASSIGN(const weights::DiffusersComponent* unet, model.component("unet"));
    RB_ASSIGN(const auto unetWeights, unet->openWeights());
    weights::ModelParts parts = {{"unet", unetWeights}};
    for (const char* name : {"text_encoder", "text_encoder_2"}) {
        if (!model.has(name)) continue;
        RB_ASSIGN(const weights::DiffusersComponent* text, model.component(name));
        RB_ASSIGN(parts[name], text->openWeights());
    }
    const std::string base = weights::identifyModel(unetWeights->stored()).baseModel;
    RB_ASSIGN(const auto file, weights::LoraFile::open(lora));
    RB_ASSIGN(const weights::LoraMatching matching,
              weights::matchLora(*file, weights::LoraDictionary(std::move(parts)), base));
    const std::string warning = matching.coverage.warning();
    return matching.coverage.summary() + (warning.empty() ? "" : "; " + warning);
}

}  // namespace reelbrush::session
