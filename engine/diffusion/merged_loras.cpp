#include "engine/diffusion/merged_loras.h"

namespace reelbrush::diffusion {

std::shared_ptr<const weights::LoraMergedWeights> MergedLoras::part(std::string_view name) const {
    const auto found = model.parts.find(name);
    return found == model.parts.end() ? nullptr : found->second;
}

std::set<std::string, std::less<>> MergedLoras::touched(std::string_view name) const {
    const auto weights = part(name);
    if (!weights) return {};
    return {weights->touchedWeights().begin(), weights->touchedWeights().end()};
}

Result<MergedLoras> mergeLoras(const std::vector<LoraChoice>& choices, const weights::LoraTarget& target) {
    std::vector<weights::LoraUse> uses;
    for (const LoraChoice& choice : choices) {
        weights::LoraUse use;
        RB_ASSIGN(use.lora, weights::LoraFile::open(choice.file));
        use.strength = choice.strength;
        use.textStrength = choice.textStrength;
        RB_ASSIGN(use.blockWeights, weights::LoraBlockWeights::parse(choice.blocks));
        uses.push_back(std::move(use));
    }
    MergedLoras merged;
    RB_ASSIGN(merged.model, weights::mergeLoras(target, uses));
    for (const weights::LoraCoverage& coverage : merged.model.coverage) {
        const std::string warning = coverage.warning();
        merged.reports.push_back(coverage.file.filename().string() + ": " + coverage.summary() +
                                 (warning.empty() ? "" : "; " + warning));
    }
    return merged;
}

}  // namespace reelbrush::diffusion
