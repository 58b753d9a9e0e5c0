#include "engine/weights/lora_coverage.h"

#include "engine/weights/quoted_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

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

/// Dimensions after the first without trailing ones: a linear [out,in] and a 1x1 convolution [out,in,1,1] are alike.
std::span<const std::int64_t> inputDims(std::span<const std::int64_t> shape) {
    while (shape.size() > 2 && shape.back() == 1) shape = shape.first(shape.size() - 1);
    return shape.subspan(1);
}

bool fits(const LoraModule& module, const kernels::Shape& weight) {
    return weight.rank() >= 2 && module.up->shape[0] == weight[0] &&
           std::ranges::equal(inputDims(module.down->shape), inputDims(weight.dims()));
}

Error nothingFits(const LoraCoverage& coverage, const LoraTarget& target) {
    std::string reason;
    if (!coverage.baseModel.empty() && coverage.baseModel != target.modelName)
        reason = fmt::format("it is made for {}, this model is {}", coverage.baseModel, target.modelName);
    else if (!coverage.shapeMismatches.empty())
        reason = fmt::format("its layers have other shapes than those of {}, for instance {}", target.modelName,
                             coverage.shapeMismatches.front());
    else
        reason = fmt::format("{} has no layers of these names: {}", target.modelName, firstOf(coverage.missing));
    return {StatusCode::BadInput, fmt::format("the LoRA {} does not fit: {}; {}; choose a LoRA made for {}",
                                              quotedPath(coverage.file), coverage.summary(), reason, target.modelName)};
}

}  // namespace

std::string LoraCoverage::summary() const {
    return fmt::format("{} of {} modules applied", applied, modulesInFile);
}

std::string LoraCoverage::warning() const {
    if (isComplete()) return {};
    std::string text = fmt::format("LoRA {}: {}", quotedPath(file), summary());
    if (!missing.empty()) text += fmt::format("; not in this model: {}", firstOf(missing));
    if (!shapeMismatches.empty()) text += fmt::format("; of another shape: {}", firstOf(shapeMismatches));
    if (!unreadTensors.empty()) text += fmt::format("; tensors not understood: {}", firstOf(unreadTensors));
    return text;
}

Result<LoraMatching> matchLora(const LoraFile& lora, const kernels::WeightProvider& model, const LoraTarget& target) {
    LoraMatching result;
    LoraCoverage& coverage = result.coverage;
    coverage.file = lora.path();
    coverage.baseModel = lora.baseModel();
    coverage.unreadTensors = lora.unreadTensors();
    for (const LoraModule& module : lora.modules()) {
        if (std::ranges::find(target.otherComponents, module.component) != target.otherComponents.end()) continue;
        ++coverage.modulesInFile;
        const std::string weight = module.module + ".weight";
        const bool isHere = module.component.empty() || module.component == target.component;
        if (!isHere || !model.contains(weight)) {
            coverage.missing.push_back(module.fullName());
            continue;
        }
        RB_ASSIGN(const kernels::WeightView view, model.find(weight));
        if (!fits(module, view.shape)) {
            coverage.shapeMismatches.push_back(fmt::format("{} (LoRA {} x {}, model {})", module.fullName(),
                                                           shapeText(module.up->shape), shapeText(module.down->shape),
                                                           view.shape.toString()));
            continue;
        }
        ++coverage.applied;
        result.matches.push_back({&module, weight});
    }
    const bool worksElsewhere = coverage.modulesInFile < lora.modules().size();
    if (coverage.applied == 0 && !worksElsewhere) return fail(nothingFits(coverage, target));
    return result;
}

}  // namespace reelbrush::weights
