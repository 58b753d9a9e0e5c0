#include "engine/session/lora_check.h"

#include "engine/weights/diffusers_folder.h"
#include "engine/weights/lora_coverage.h"

namespace reelbrush::session {

Result<std::string> loraCoverage(const std::filesystem::path& lora, const std::filesystem::path& modelFolder) {
    RB_ASSIGN(const weights::DiffusersFolder model, weights::DiffusersFolder::open(modelFolder));
    RB_ASSIGN(const weights::DiffusersComponent* unet, model.component("unet"));
    RB_ASSIGN(const auto unetWeights, unet->openWeights());
    RB_ASSIGN(const auto file, weights::LoraFile::open(lora));
    RB_ASSIGN(const weights::LoraMatching matching, weights::matchLora(*file, *unetWeights, weights::LoraTarget{}));
    const std::string warning = matching.coverage.warning();
    return matching.coverage.summary() + (warning.empty() ? "" : "; " + warning);
}

}  // namespace reelbrush::session
