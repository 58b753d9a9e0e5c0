#include "engine/weights/model_fit.h"

#include "engine/weights/quoted_name.h"

#include <fmt/format.h>

#include <string>

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
    for (const char* field : {"block_out_channels", "cross_attention_dim"}) {
        const auto own = addition.config.find(field);
        const auto needed = model.unet.config.find(field);
        if (own == addition.config.end() || needed == model.unet.config.end() || *own == *needed) continue;
        return fail(StatusCode::BadInput,
                    fmt::format("the {} {} does not fit the model {}: its {} is {} where {} is needed", addition.kind,
                                quotedPath(addition.path), quotedPath(model.path), field, own->dump(), needed->dump()));
    }
    return {};
}

}  // namespace

Status checkFits(const ControlNetFiles& controlNet, const DiffusionModelFiles& model) {
    return checkAddition({"ControlNet", controlNet.path, controlNet.family, controlNet.part.config}, model);
}

Status checkFits(const MotionModuleFiles& motion, const DiffusionModelFiles& model) {
    return checkAddition({"motion module", motion.path, motion.family, motion.part.config}, model);
}

}  // namespace reelbrush::weights
