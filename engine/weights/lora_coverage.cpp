#include "engine/weights/lora_coverage.h"

#include "engine/weights/lora_update.h"
#include "engine/weights/quoted_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace reelbrush::weights {

namespace {

constexpr std::size_t kNamesShown = 5;

/// "a, b, c and 12 more"
std::string firstOf(const std::vector<std::string>& names) {
    std::vector<std::string> shown;
    for (std::size_t i = 0; i < std::min(names.size(), kNamesShown); ++i) shown.push_back(quotedName(names[i]));
    std::string text = fmt::format("{}", fmt::join(shown, ", "));
    if (names.size() > kNamesShown) text += fmt::format(" and {} more", names.size() - kNamesShown);
    return text;
}

/// Empty where the module fits the layer, else how it does not.
Result<std::string> misfit(const LoraModule& module, const LoraPlace& place, const ListedWeights& weights) {
    if (module.changesWeight()) {
        const std::string name = place.module + ".weight";
        if (!weights.contains(name)) return fmt::format("{} (the model's layer has no weight)", module.key);
        RB_ASSIGN(const kernels::Shape shape, weights.shapeOf(name));
        if (!fitsWeight(module, shape))
            return fmt::format("{} (LoRA {}, model {})", module.key, updateShapeText(module), shape.toString());
    }
    if (module.changesBias()) {
        const std::string name = place.module + ".bias";
        if (!weights.contains(name)) return fmt::format("{} (the model's layer has no bias)", module.key);
        RB_ASSIGN(const kernels::Shape shape, weights.shapeOf(name));
        if (!fitsBias(module, shape))
            return fmt::format("{} (a bias of another length than the model's {})", module.key, shape.toString());
    }
    return std::string();
}

bool isForAnotherBase(const LoraCoverage& coverage) {
    return !coverage.baseModel.empty() && !coverage.modelName.empty() && coverage.baseModel != coverage.modelName;
}

std::string baseSentence(const LoraCoverage& coverage) {
    return fmt::format("it is made for {}, this model is {}", coverage.baseModel, coverage.modelName);
}

Error doesNotFit(const LoraCoverage& coverage) {
    const std::string model = coverage.modelName.empty() ? "this model" : coverage.modelName;
    std::string reason;
    if (isForAnotherBase(coverage))
        reason = baseSentence(coverage);
    else if (!coverage.shapeMismatches.empty())
        reason = fmt::format("its layers have other shapes than those of {}, for instance {}", model,
                             quotedName(coverage.shapeMismatches.front()));
    else
        reason = fmt::format("{} has no layers of these names: {}", model, firstOf(coverage.missing));
    return {StatusCode::BadInput, fmt::format("the LoRA {} does not fit: {}; {}; choose a LoRA made for {}",
                                              quotedPath(coverage.file), coverage.summary(), reason, model)};
}

}  // namespace

std::string LoraCoverage::summary() const {
    return fmt::format("{} of {} modules applied", applied, modulesInFile);
}

std::string LoraCoverage::warning() const {
    if (isComplete()) return {};
    std::vector<std::string> reasons;
    if (isForAnotherBase(*this)) reasons.push_back(baseSentence(*this));
    if (!missing.empty()) reasons.push_back("not in this model: " + firstOf(missing));
    if (!shapeMismatches.empty()) reasons.push_back("of another shape: " + firstOf(shapeMismatches));
    if (!unreadTensors.empty()) reasons.push_back("tensors not understood: " + firstOf(unreadTensors));
    return fmt::format("{}", fmt::join(reasons, "; "));
}

Result<LoraMatching> matchLora(const LoraFile& lora, const LoraDictionary& model, const std::string& modelName) {
    LoraMatching result;
    LoraCoverage& coverage = result.coverage;
    coverage.file = lora.path();
    coverage.baseModel = lora.baseModel();
    coverage.modelName = modelName;
    coverage.unreadTensors = lora.unreadTensors();
    coverage.modulesInFile = lora.modules().size();
    for (const LoraModule& module : lora.modules()) {
        const LoraPlace* place = model.find(module);
        if (!place) {
            coverage.missing.push_back(module.key);
            continue;
        }
        RB_ASSIGN(std::string fault, misfit(module, *place, *model.parts().find(place->part)->second));
        if (!fault.empty()) {
            coverage.shapeMismatches.push_back(std::move(fault));
            continue;
        }
        ++coverage.applied;
        result.matches.push_back({&module, place});
    }
    const bool isMostlyLost = coverage.applied * 2 < coverage.modulesInFile;
    if (coverage.applied == 0 || (isForAnotherBase(coverage) && isMostlyLost)) return fail(doesNotFit(coverage));
    return result;
}

}  // namespace reelbrush::weights
