#include "engine/weights/model_fit.h"

#include "engine/weights/quoted_name.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace reelbrush::weights {

namespace {

struct Addition {
    const char* kind;
    const std::filesystem::path& path;
    BaseFamily family;
    const nlohmann::json& config;
};

Status checkAddition(const Addition& addition, const DiffusionModelFiles& model) {
    if (addition.family != model.family)
        return fail(StatusCode::BadInput,
                    fmt::format("the {} {} was made for {}, but the model {} is {}; use one made for {}", addition.kind,
                                quotedPath(addition.path), nameOf(addition.family), quotedPath(model.path),
                                nameOf(model.family), nameOf(model.family)));
    constexpr std::pair<const char*, const char*> kWidths[] = {{"block_out_channels", "layers of width"},
                                                               {"cross_attention_dim", "text of width"}};
    for (const auto& [field, meaning] : kWidths) {
        const auto own = addition.config.find(field);
        const auto needed = model.unet.config.find(field);
        if (own == addition.config.end() || needed == model.unet.config.end() || *own == *needed) continue;
        return fail(StatusCode::BadInput, fmt::format("the {} {} does not fit the model {}: it was made for {} {}, and "
                                                      "the model has {}; use one made for this model",
                                                      addition.kind, quotedPath(addition.path), quotedPath(model.path),
                                                      meaning, own->dump(), needed->dump()));
    }
    return {};
}

}  // namespace

Status checkFits(const ControlNetFiles& controlNet, const DiffusionModelFiles& model) {
    return checkAddition({"ControlNet", controlNet.path, controlNet.family, controlNet.part.config}, model);
}

Status checkFits(const MotionModuleFiles& motion, const DiffusionModelFiles& model) {
    if (model.family == BaseFamily::Sd2)
        return fail(StatusCode::BadInput,
                    fmt::format("the motion module {} was made for {}, but the model {} is SD 2.x, for which there are "
                                "none; use a model of SD 1.5 or SDXL, or leave the motion module out",
                                quotedPath(motion.path), nameOf(motion.family), quotedPath(model.path)));
    return checkAddition({"motion module", motion.path, motion.family, motion.part.config}, model);
}

}  // namespace reelbrush::weights
